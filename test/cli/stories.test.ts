/** The pages of docs/cli.md with which one begins: see `stories.ts`. */
import t from 'tap'
import { FIRST, tellAll } from './stories.ts'

t.test('what the first pages tell to type does what they show', t => tellAll(t, FIRST))
