/** Possible translations of one key, from the translation memory and from a machine. Writes nothing. */
import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import { quoteSome } from '../bundle/complaints.ts'
import { Failure } from '../bundle/errors.ts'
import { gateSentence } from '../bundle/gate/gate-sentence.ts'
import { type Message, peel } from '../bundle/message.ts'
import { checkKey, checkLanguage, checkNamespace } from '../bundle/names.ts'
import { amountOf, inUnit, type Machine, translatesInto, unitOf } from '../machine/machine.ts'
import type { MachineCaller } from '../machine/machine-caller.ts'
import { machineFailure } from '../machine/machine-fault.ts'
import type { MachineList } from '../machine/machine-list.ts'
import type { TextToTranslate } from '../machine/translation.ts'
import { translateTexts } from '../machine/translator.ts'
import type { JudgedCandidate } from '../project/judge-candidates.ts'
import { missingKey, refuseSource, requireLanguage, requireProject } from '../project/layout.ts'
import type { BundleName, Project } from '../project/project.ts'
import { sourceFault } from '../project/texts-to-translate.ts'
import { claimantOf } from './bounds/body-memory.ts'
import { MessageShape } from './bundles.ts'
import { similarTexts, statusOf } from './context.ts'
import { machineNamed, readMachines } from './machines.ts'
import { judgeMessages } from './reading/judge-messages.ts'
import type { MemorySearch } from './reading/memory-search.ts'
import { pinnedStateOf } from './reading/pinned-state.ts'
import { type MachineReading, textsForMachine } from './reading/texts-for-machine.ts'
import { requireCaller } from './requests/caller.ts'
import { clientGone, inTurns } from './requests/client-gone.ts'
import {
  component,
  count,
  GateFaultsShape,
  key,
  language,
  like,
  namespace,
  type OfProject,
  type Sends,
  slug,
  text,
  writing,
} from './requests/shapes.ts'
import { ProblemShape } from './status.ts'
import { recheckSpending } from './translating/may-spend.ts'
import { SKIP_PHRASES, type SkipReason } from './translating/plan-language.ts'

const Asked = z.strictObject({
  language,
  namespace,
  key: key.describe('The key; a plural is named by its base.'),
  machine: text('Which machine; by default the first that translates into the language.', 'DeepL').optional(),
})
const Candidate = component('TextCandidate', {
  message: MessageShape.describe('The translation, with all forms.'),
  by: text('The machine, or `memory`.', 'DeepL', 'memory'),
  problems: z.array(ProblemShape).describe('What the checks of the project find in it, as in the status.'),
  forms: like(z.array(z.string()), ['few']).describe('The forms that it lacks.'),
  score: like(z.number().optional(), 93).describe('Of the memory: how similar its source is, 60 to 100.'),
  project: slug.optional().describe('Of the memory: where it stands.'),
  namespace: namespace.optional(),
  key: key.optional(),
})
const Suggested = component('TextCandidates', {
  candidates: z.array(Candidate).describe('The machine first, then the memory, the best match first.'),
  refused: like(z.object({ by: z.string(), reason: z.string(), faults: GateFaultsShape }).nullable(), {
    by: 'DeepL',
    reason: 'the form few lacks {{count}}.',
    faults: [{ code: 'lacks', form: 'few', names: ['{{count}}'] }],
  }).describe("Why the machine's translation is no candidate: the gate refused it, twice. Else null."),
  usage: like(
    z
      .object({
        characters: count('Characters of source texts that were sent.'),
        inputTokens: count('Tokens that the machine read.'),
        outputTokens: count('Tokens that it wrote.'),
        cost: z.number().min(0).describe('By the price that the operator configured, in `unit`.'),
        unit: z.string(),
      })
      .nullable(),
    { characters: 24, inputTokens: 0, outputTokens: 0, cost: 0.00048, unit: 'USD' },
  ).describe('What the request used. Null when no machine was asked.'),
  notice: text('Why the memory is missing.', 'The memory is being built.').optional(),
})

/** What the routes share with the rest of the server. */
interface SuggestOptions {
  memory: MemorySearch
  machines: MachineList
  caller: MachineCaller
}

/** Adds the route to a scope behind `identify`. */
export function suggestRoutes(app: FastifyInstance, { memory, machines, caller }: SuggestOptions): void {
  const inTurn = inTurns('suggestions')
  const schema = {
    tags: ['Machines'],
    operationId: 'suggestTranslations',
    summary: 'Possible translations of a key, by a machine and the memory',
    description:
      'Writes nothing. It may cost money, so it needs a session or a token of scope `write`, and the right `suggest` in ' +
      'the language. A machine gets the source, its note, glossary terms, neighbours, and for a stale translation the ' +
      'old texts. Its answer must pass the gate: see the guide on machine translation. Without a machine for the ' +
      'language the memory alone answers.',
    body: Asked,
    ...writing({ 200: Suggested.describe('The candidates.') }, 'not-found', 'unfit', 'bad-gateway'),
  }
  type Suggest = OfProject & Sends<typeof Asked>
  const options = { config: { permission: 'edit' }, bodyLimit: app.limits.keyBody } as const
  app.post<Suggest>('/api/projects/:slug/suggest', { schema, ...options }, async (request, reply) => {
    const { slug } = request.params
    const { machine: name, ...place } = request.body
    const { key } = peel(checkKey(place.key))
    const asked = { slug, language: checkLanguage(place.language), namespace: checkNamespace(place.namespace), key }
    const spent = { slug, save: 'suggestion' } as const
    recheckSpending(app.auth, requireCaller(request, 'edit'), spent, [asked.language])
    const { snapshot, project } = await app.writes.look(request, snapshot => {
      const project = requireProject(snapshot, slug)
      requireLanguage(snapshot, project, asked.language)
      return { snapshot, project }
    })
    refuseSource(project, asked.language, 'name another one')
    const machine = machineFor(await readMachines(request, machines), asked.language, name)
    const state = { project, pinned: pinnedStateOf(request, snapshot) }
    const text = await inTurn(reply, left => textFor({ ...state, left }, asked))
    const similar = await similarTexts(reply, memory, { snapshot, project, asked, source: text.source })
    const left = clientGone(reply)
    const { source, max } = text
    const judge = (messages: readonly Message[]) =>
      judgeMessages({ ...state, left }, { language: asked.language, source, max }, messages)
    const byMachine = machine && (await suggestBy(reply, { machine, caller }, text, { asked, project, judge, left }))
    const { matches = [], notice = similar.notice } = similar.memory ?? {}
    const problems = await judge(matches.map(({ message }) => message))
    const byMemory = matches.map(({ message, score, project, namespace, key }, index) => {
      const { problems: found, forms } = problems[index]!
      return { message, by: 'memory', problems: found, forms, score, project, namespace, key }
    })
    return reply.send({
      candidates: [...(byMachine?.candidates ?? []), ...byMemory],
      refused: byMachine?.refused ?? null,
      usage: byMachine?.usage ?? null,
      ...(notice !== undefined && { notice }),
    })
  })
}

/** A key of a language. */
interface SuggestedKey extends BundleName {
  key: string
}

/** @throws Failure `not-found` or `unfit` for a named machine */
function machineFor(machines: readonly Machine[], language: string, name: string | undefined): Machine | undefined {
  if (name === undefined) return machines.find(machine => translatesInto(machine, language))
  const machine = machineNamed(machines, name)
  if (translatesInto(machine, language)) return machine
  throw machineFailure('unfit', { code: 'language', machine: name, language })
}

/** What a machine learns about a key. @throws Failure `not-found`, or `unfit` where there is nothing to translate */
async function textFor(state: MachineReading, asked: SuggestedKey): Promise<TextToTranslate> {
  const { key } = asked
  const row = await statusOf(state, asked)
  if (row === undefined) throw missingKey(key, asked)
  const { source, message, sourceThen } = row
  const nothing = (why: SkipReason) =>
    new Failure('unfit', `The key ${quoteSome([key])} is not translated: ${SKIP_PHRASES[why]}.`)
  if (source === null) throw nothing('source-missing')
  const fault = sourceFault(source)
  if (fault !== undefined) throw nothing(fault)
  const previous =
    sourceThen !== undefined && message !== null ? { source: sourceThen, translation: message } : undefined
  return (await textsForMachine(state, asked, [{ key, source, previous }]))[0]!
}

/** What a suggestion by a machine depends on. */
interface MachineSuggestion {
  asked: SuggestedKey
  project: Project
  judge: (messages: readonly Message[]) => Promise<JudgedCandidate[]>
  left: AbortSignal
}

async function suggestBy(
  { request }: FastifyReply,
  { machine, caller }: { machine: Machine; caller: MachineCaller },
  text: TextToTranslate,
  { asked, project, judge, left }: MachineSuggestion,
) {
  let passed: JudgedCandidate | undefined
  const gate = async (_: number, message: Message) => {
    passed = (await judge([message]))[0]!
    return passed.faults
  }
  const { attempts, usage } = await translateTexts(
    { caller, machine, claimant: claimantOf(request), left },
    [text],
    { from: project.sourceLanguage, to: asked.language, interpolation: project.interpolation },
    gate,
  )
  const [attempt] = attempts
  const cost = inUnit(machine, amountOf(machine, usage))
  const { name } = machine
  if ('faults' in attempt!) {
    const { faults } = attempt
    const refused = { by: name, reason: gateSentence(faults), faults }
    return { candidates: [], refused, usage: { ...usage, cost, unit: unitOf(machine) } }
  }
  const { problems, forms } = passed!
  const candidates = [{ message: attempt!.message, by: name, problems, forms }]
  return { candidates, refused: null, usage: { ...usage, cost, unit: unitOf(machine) } }
}
