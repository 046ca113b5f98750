import { fieldAt, type FieldPath, fieldPaths } from "../../src/visit/fields.ts"

/** The paths of the fields that hold values: all except components and lists of components. */
export const leafPaths: ReadonlyArray<FieldPath> = fieldPaths.filter((path) => fieldAt(path)?.fields === undefined)
