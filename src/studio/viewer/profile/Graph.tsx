import { at } from "../../../at.ts"
import { getOrMake } from "../../../maps.ts"
interface Edge {
  readonly from: string
  readonly to: string
  readonly label: string
  /** Some of its records are missing. */
  readonly isWeak: boolean
}

const size = { width: 150, height: 30, gapX: 70, gapY: 14 }

/** A table or a type, and the place of its box. */
interface Box {
  readonly name: string
  /** The number of links that lead to it, at most 4. */
  depth: number
  x: number
  y: number
}

/** Draws tables or types as boxes. Each box is to the left of its link targets, unless links form a cycle. */
export const Graph = ({ edges }: { readonly edges: ReadonlyArray<Edge> }) => {
  const boxes = new Map<string, Box>()
  const boxOf = (name: string): Box => getOrMake(boxes, name, () => ({ name, depth: 0, x: 0, y: 0 }))
  for (const { from, to } of edges) {
    boxOf(from)
    boxOf(to)
  }
  const between = Map.groupBy(edges.filter(({ from, to }) => from !== to), ({ from, to }) => `${from} ${to}`)
  const links = Array.from(between.values(), (group) => ({
    from: boxOf(at(group, 0).from),
    to: boxOf(at(group, 0).to),
    isWeak: group.every(({ isWeak }) => isWeak),
    labels: group.map(({ label }) => label)
  }))
  for (let round = 0; round < Math.min(4, boxes.size); round++) {
    for (const { from, to } of links) if (to.depth <= from.depth) to.depth = Math.min(4, from.depth + 1)
  }
  const columns = [...Map.groupBy(boxes.values(), ({ depth }) => depth)].toSorted(([one], [other]) => one - other).map((
    [, group]
  ) => group)
  columns.forEach((column, x) =>
    column.forEach((box, y) => {
      box.x = x * (size.width + size.gapX)
      box.y = y * (size.height + size.gapY)
    })
  )
  const width = columns.length * (size.width + size.gapX)
  const height = Math.max(...columns.map(({ length }) => length)) * (size.height + size.gapY)
  const described = links.map(({ from, to }) => `${from.name} to ${to.name}`).join(", ")
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Picture of the links">
      <svg
        class="graph"
        viewBox={`-2 -2 ${width + 4} ${height}`}
        width={width}
        height={height}
        role="img"
        aria-label={`Links: ${described}`}
      >
        {links.map(({ from, isWeak, labels, to }) => {
          const [x1, y1, x2, y2] = [from.x + size.width, from.y + size.height / 2, to.x, to.y + size.height / 2]
          const isBack = x2 <= x1
          const d = isBack
            ? `M${x1},${y1} C${x1 + 50},${y1} ${to.x + size.width + 50},${y2} ${to.x + size.width},${y2}`
            : `M${x1},${y1} C${x1 + 40},${y1} ${x2 - 40},${y2} ${x2},${y2}`
          return (
            <path key={`${from.name} ${to.name}`} class={isWeak ? "edge weak" : "edge"} d={d}>
              <title>{labels.join(", ")}</title>
            </path>
          )
        })}
        {Array.from(boxes.values(), ({ name, x, y }) => (
          <g key={name}>
            <rect class="node" x={x} y={y} width={size.width} height={size.height} rx="6" />
            <text x={x + size.width / 2} y={y + 20} text-anchor="middle">
              {name.length > 20 ? `${name.slice(0, 19)}…` : name}
            </text>
          </g>
        ))}
      </svg>
    </div>
  )
}
