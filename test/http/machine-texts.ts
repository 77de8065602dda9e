/** Texts of all kinds through a machine that misbehaves, and what must hold afterwards. */
import type { Test } from 'tap'
import { openaiAnswer } from '../machine/fake-machine.ts'
import { random } from '../random.ts'
import { judgeTexts, PLACEHOLDER, placeholdersIn, sourcesOf } from './source-texts.ts'
import type { TranslationStage } from './translation-stage.ts'

const LANGUAGES = ['de', 'pl', 'ar'] as const

/** Ways to spoil a text. */
const FAULTS: ((text: string) => string)[] = [
  text => text.replace(PLACEHOLDER, ''),
  text => text.replace(/\{\{\w+/, '{{other'),
  text => `${text} ${text}`,
  text => text.replace('<1>', '</1>'),
  text => text.replace(/\$t\(\w+/, '$t(elsewhere'),
  () => '',
  text => (placeholdersIn(text).length > 0 ? 'HACKED' : ''),
]

/** A machine that spoils every third text and every tenth answer. */
function misbehaving(stage: TranslationStage): void {
  const pick = <T>(of: readonly T[]) => of[Math.floor(random() * of.length)]!
  stage.fake.script = ({ json }, response) => {
    const { texts } = JSON.parse(json.messages[1].content)
    const answer = Object.fromEntries(
      Object.entries(texts as Record<string, { source: unknown; wanted: { name: string }[] }>).map(
        ([index, { source, wanted }]) => [
          index,
          Object.fromEntries(
            wanted.map(({ name }) => {
              const good = `»${formOf(source, name)}«`
              return [name, random() < 0.3 ? pick(FAULTS)(good) : good]
            }),
          ),
        ],
      ),
    )
    const whole = JSON.stringify(answer)
    const others: (() => unknown)[] = [
      () => openaiAnswer(`Sure! Here you are: ${whole}`),
      () => openaiAnswer(whole.slice(0, whole.length / 2)),
      () => openaiAnswer({ ...answer, evil: { text: 'x' } }),
      () => void response.writeHead(429, { 'retry-after': '1' }).end(),
    ]
    return random() < 0.1 ? pick(others)() : openaiAnswer(`\`\`\`json\n${whole}\n\`\`\``)
  }
}

function formOf(source: unknown, name: string): string {
  if (typeof source === 'string') return source
  const { cardinal, ordinal } = source as Record<'cardinal' | 'ordinal', Record<string, string>>
  const forms = name.startsWith('ordinal_') ? ordinal : cardinal
  return forms[name.replace('ordinal_', '')] ?? forms.other!
}

/** @param count of texts, in three languages */
export async function translatesTexts(t: Test, stage: TranslationStage, count: number): Promise<void> {
  const source = sourcesOf(count)
  const more = Object.fromEntries(LANGUAGES.map(language => [`${language}/common`, { own: 'by a person' }]))
  const url = await stage.project('texts', { 'en/common': source, ...more })
  stage.list(stage.fake.row('openai', { name: 'Liar', batch: 10, concurrency: 2 }))
  misbehaving(stage)
  const body = { languages: LANGUAGES }
  const { of, ...job } = await stage.run(url, body)
  t.match(job, { state: 'done', done: of }, job.error)
  t.ok(job.refusedCount > 0, `${job.refusedCount} of ${of} are refused`)
  t.ok(job.written > of / 3, `${job.written} of ${of} are written`)
  t.equal(job.written + job.refusedCount, of)
  t.equal(job.revisions.length, LANGUAGES.length)

  const stored: Record<string, Record<string, unknown>> = Object.fromEntries(
    await Promise.all(LANGUAGES.map(async language => [language, await stage.read(url, `${language}/common`)])),
  )
  for (const texts of Object.values(stored)) {
    t.equal(texts.own, 'by a person')
    delete texts.own
  }
  await judgeTexts(t, source, stored)
  stage.fake.requests.length = 0
  const second = await stage.run(url, body)
  t.match(second, { state: 'done', of: 0, written: 0, refusedCount: 0, spent: 0 })
  t.equal(stage.fake.requests.length, 0, 'a second run sends nothing')
}
