/** No app sees an unreviewed text while many translators and two reviewers work at once. */
import t from 'tap'
import { workUnderReview } from './unreviewed.ts'

t.setTimeout(0)

t.test('shows no unreviewed text while 20 translators and 2 reviewers work', async t => {
  const accepted = await workUnderReview(t, { translators: 20, reviewers: 2, seconds: 60 })
  t.ok(accepted > 0, `${accepted} texts were accepted`)
})
