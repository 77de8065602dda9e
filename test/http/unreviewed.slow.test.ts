/** No app sees an unreviewed text: `test/http/unreviewed.long.test.ts` does the same for longer. */
import t from 'tap'
import { workUnderReview } from './unreviewed.ts'

t.test('shows no unreviewed text while a few people work', async t => {
  await workUnderReview(t, { translators: 3, reviewers: 1, seconds: 3 })
})
