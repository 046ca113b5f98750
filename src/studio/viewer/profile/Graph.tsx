interface Edge {
  readonly from: string
  readonly to: string
  readonly label: string
  /** Some of its records are missing. */
  readonly isWeak: boolean
}

const box = { width: 150, height: 30, gapX: 70, gapY: 14 }

/** Draws tables or types as boxes. Each box is to the left of its link targets, unless links form a cycle. */
export const Graph = ({ edges }: { readonly edges: ReadonlyArray<Edge> }) => {
  const names = [...new Set(edges.flatMap(({ from, to }) => [from, to]))]
  const between = Map.groupBy(edges.filter(({ from, to }) => from !== to), ({ from, to }) => `${from} ${to}`)
  const depth = new Map(names.map((name) => [name, 0]))
  const links = [...between.values()].map((group) => ({
    ...group[0]!,
    isWeak: group.every(({ isWeak }) => isWeak),
    labels: group.map(({ label }) => label)
  }))
  for (let round = 0; round < Math.min(4, names.length); round++) {
    for (const { from, to } of links) {
      if (depth.get(to)! <= depth.get(from)!) depth.set(to, Math.min(4, depth.get(from)! + 1))
    }
  }
  const columns = [...Map.groupBy(names, (name) => depth.get(name)!)].toSorted(([one], [other]) => one - other).map((
    [, group]
  ) => group)
  const at = new Map(
    columns.flatMap((column, x) =>
      column.map((name, y) => [name, { x: x * (box.width + box.gapX), y: y * (box.height + box.gapY) }] as const)
    )
  )
  const width = columns.length * (box.width + box.gapX)
  const height = Math.max(...columns.map(({ length }) => length)) * (box.height + box.gapY)
  const described = links.map(({ from, to }) => `${from} to ${to}`).join(", ")
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
          const [one, other] = [at.get(from)!, at.get(to)!]
          const [x1, y1, x2, y2] = [one.x + box.width, one.y + box.height / 2, other.x, other.y + box.height / 2]
          const isBack = x2 <= x1
          const d = isBack
            ? `M${x1},${y1} C${x1 + 50},${y1} ${other.x + box.width + 50},${y2} ${other.x + box.width},${y2}`
            : `M${x1},${y1} C${x1 + 40},${y1} ${x2 - 40},${y2} ${x2},${y2}`
          return (
            <path key={`${from} ${to}`} class={isWeak ? "edge weak" : "edge"} d={d}>
              <title>{labels.join(", ")}</title>
            </path>
          )
        })}
        {names.map((name) => {
          const { x, y } = at.get(name)!
          return (
            <g key={name}>
              <rect class="node" x={x} y={y} width={box.width} height={box.height} rx="6" />
              <text x={x + box.width / 2} y={y + 20} text-anchor="middle">
                {name.length > 20 ? `${name.slice(0, 19)}…` : name}
              </text>
            </g>
          )
        })}
      </svg>
    </div>
  )
}
