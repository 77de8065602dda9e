/** The names of sentences for faults of a machine that have one in common. */
import type { MachineFault } from '../api/late-client.ts'

/** By code; the sentence of another fault has the name of its code. */
export const SENTENCE_OF: Partial<Record<MachineFault['code'], string>> = {
  'no-json': 'answer',
  long: 'answer',
  redirect: 'setup',
  key: 'setup',
  address: 'setup',
}
