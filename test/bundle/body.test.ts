/** A body that is no JSON: the refusal names the place, which V8 does for some faults alone. */
import fc from 'fast-check'
import t from 'tap'
import { parseBody } from '../../src/bundle/body.ts'
import { Failure } from '../../src/bundle/errors.ts'

function refusal(text: string): string {
  try {
    parseBody(Buffer.from(text))
  } catch (error) {
    if (error instanceof Failure && error.code === 'invalid') return error.message
    throw error
  }
  return 'none'
}

const at = (character: number, line: number, column: number) =>
  `The body is not valid JSON, from character ${character} on (line ${line}, column ${column}).`
const EARLY = 'The body is not valid JSON: it ends before it is complete.'

t.test('the place of a fault, by character, line and column', async t => {
  for (const [text, expected] of [
    ['nonsense', at(0, 1, 1)],
    ['{"a" x}', at(5, 1, 6)],
    ['{"a":1,}', at(7, 1, 8)],
    ['[1,2,]', at(5, 1, 6)],
    ['{\n  "a": \'x\'\n}', at(9, 2, 8)],
    ['{\n  "a": "x"\n  "b": "y"\n}', at(15, 3, 3)],
    ['{\r\n "a": undefined}', at(9, 2, 7)],
    ['{"a":"b\\q"}', at(8, 1, 9)],
    ['{"a":[}]', at(6, 1, 7)],
    ['{"a\\\\":"\\"]", "b":]}', at(18, 1, 19)],
    ['{"a":1} x', at(8, 1, 9)],
    ['', EARLY],
    ['{"a":', EARLY],
    ['[1,', EARLY],
  ] as const)
    t.equal(refusal(text), expected, JSON.stringify(text))
})

t.test('one wrong character anywhere is found where it stands', async () => {
  const property = fc.property(fc.json({ maxDepth: 4 }), fc.nat(), (json, where) => {
    const place = where % (json.length + 1)
    const broken = `${json.slice(0, place)}@${json.slice(place)}`
    const found = /from character (\d+) on/.exec(refusal(broken))?.[1]
    let isJson = true
    try {
      JSON.parse(broken)
    } catch {
      isJson = false
    }
    // In a string it is a character like others; in a number or word the token before it may be the one that is wrong.
    return isJson || (found !== undefined && Number(found) <= place && place - Number(found) < 25)
  })
  fc.assert(property, { numRuns: 1000 })
})
