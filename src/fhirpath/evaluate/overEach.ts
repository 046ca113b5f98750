import type { Element, Elements } from "../FhirPath.ts"
import type { EvaluateStep, Frame } from "./Frame.ts"
import { copyOfFrame } from "./Frame.ts"
import { holds, no, none, truth, yes } from "./values.ts"

/** Functions whose argument is evaluated on each element of their input. */
export const overEach: Readonly<
  Record<"where" | "exists" | "select" | "all" | "aggregate", (body: EvaluateStep) => EvaluateStep>
> = {
  where: (body) => (frame, input) => {
    if (input.length === 0) return none
    let found: Array<Element> | undefined
    const inner = copyOfFrame(frame, none)
    for (let index = 0; index < input.length; index++) {
      const element = input[index]
      if (on(body, frame, inner, element, index)[0]) (found ??= []).push(element)
    }
    return found ?? none
  },
  exists: (body) => (frame, input) => {
    if (input.length === 0) return no
    let found = false
    const inner = copyOfFrame(frame, none)
    for (let index = 0; index < input.length; index++) {
      if (on(body, frame, inner, input[index], index)[0]) found = true
    }
    return truth(found)
  },
  select: (body) => (frame, input) => {
    if (input.length === 0) return none
    let found: Array<Element> | undefined
    const inner = copyOfFrame(frame, none)
    for (let index = 0; index < input.length; index++) {
      const some = on(body, frame, inner, input[index], index)
      if (input.length === 1) return some
      if (some.length > 0) (found ??= []).push(...some)
    }
    return found ?? none
  },
  all: (body) => (frame, input) => {
    const inner = copyOfFrame(frame, none)
    for (let index = 0; index < input.length; index++) {
      if (!holds(on(body, frame, inner, input[index], index))) return no
    }
    return yes
  },
  // The caller has put the start value into the frame.
  aggregate: (body) => (frame, input) => {
    const inner = copyOfFrame(frame, none)
    for (let index = 0; index < input.length; index++) frame.total = on(body, frame, inner, input[index], index)
    return frame.total
  }
}

/** Evaluates on one element of several. The frame is reused for the next element, and the arguments are not an object, for speed. */
const on = (body: EvaluateStep, frame: Frame, inner: Frame, element: Element, index: number): Elements => {
  const self = [element]
  frame.index = index
  inner.self = self
  inner.index = index
  inner.total = frame.total
  inner.defined = frame.defined
  return body(inner, self)
}
