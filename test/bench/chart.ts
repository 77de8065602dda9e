/**
 * The results of the suite as an SVG: one bar for each goal, from nothing to eight times as good, readable on light and
 * on dark pages.
 */
import { isMet, type Part, type Row, reached } from './report.ts'

const LINE = 20
const LEFT = 400
const WIDTH = 940
const PLOT = WIDTH - LEFT - 110
/** The scale is logarithmic: halves and doubles are equally far from the goal. */
const LEAST = 1 / 8
const MOST = 8

const STYLE = `text { font: 12px system-ui, sans-serif; fill: #24292f } .part { font-weight: 600 } .small { font-size: 11px; fill: #57606a }
.met { fill: #2da44e } .missed { fill: #cf222e } .goal { stroke: #24292f; stroke-width: 1.5 } .grid { stroke: #d0d7de }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .small { fill: #9198a1 } .goal { stroke: #e6edf3 } .grid { stroke: #3d444d } }`

const at = (value: number) => {
  const share = Math.log(Math.min(MOST, Math.max(LEAST, value)) / LEAST) / Math.log(MOST / LEAST)
  return Math.round(LEFT + share * PLOT)
}

const escaped = (text: string) => text.replace(/[&<>]/g, character => `&#${character.charCodeAt(0)};`)

const word = (x: number, y: number, text: string, more = '') => `<text x="${x}" y="${y}"${more}>${escaped(text)}</text>`

function bar(row: Row, y: number): string {
  const value = reached(row)
  const end = at(value)
  const shown = value >= 10 ? value.toFixed(0) : value.toFixed(2)
  return [
    word(LEFT - 10, y + 12, row.name, ' text-anchor="end"'),
    `<rect class="${isMet(row) ? 'met' : 'missed'}" x="${LEFT}" y="${y + 2}" width="${Math.max(2, end - LEFT)}" height="${LINE - 7}" rx="2"/>`,
    word(end + 6, y + 12, `${shown}x`, ' class="small"'),
  ].join('\n')
}

/** @param parts in the order of the chart */
export function drawChart(parts: readonly Part[]): string {
  let y = 44
  const drawn: string[] = []
  for (const { name, rows } of parts) {
    drawn.push(word(12, y + 13, name, ' class="part"'))
    y += LINE
    for (const row of rows) {
      drawn.push(bar(row, y))
      y += LINE
    }
    y += 8
  }
  const machines = [...new Set(parts.map(({ machine, date }) => `${date}, ${machine}`))].join('; ')
  const grid = [LEAST, 1 / 4, 1 / 2, 1, 2, 4, MOST].map(value => {
    const kind = value === 1 ? 'goal' : 'grid'
    const label = value >= 1 ? `${value}x` : `1/${1 / value}`
    return `<line class="${kind}" x1="${at(value)}" x2="${at(value)}" y1="36" y2="${y}"/>\n${word(at(value), 30, value === 1 ? 'goal' : label, ' text-anchor="middle" class="small"')}`
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${y + 26}" viewBox="0 0 ${WIDTH} ${y + 26}" role="img">`,
    '<title>How far each goal is reached</title>',
    `<style>${STYLE}</style>`,
    ...grid,
    ...drawn,
    word(12, y + 18, machines, ' class="small"'),
    '</svg>\n',
  ].join('\n')
}
