/**
 * Gives fast-check its seed. `npm test` looks at the same random cases each time, so that what turns it red is a
 * change;
 * `PROPERTY_SEED=random`, or a number, looks at others, as a test file that is run alone does.
 */
import fc from 'fast-check'

const wanted = process.env.PROPERTY_SEED ?? '20261121'
if (wanted !== 'random') fc.configureGlobal({ seed: Number(wanted) })
