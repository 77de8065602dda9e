/** The first stories of docs/cli.md: see `stories.ts`. */
import t from 'tap'
import { FIRST, tellAll } from './stories.ts'

t.test('the first stories do what they show', t => tellAll(t, FIRST))
