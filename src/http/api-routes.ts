/** The routes of organizations and projects: all that need a caller. */
import type { FastifyInstance } from 'fastify'
import type { InboxReader } from '../inbox/inbox-reader.ts'
import type { MachineCaller } from '../machine/machine-caller.ts'
import type { MachineList } from '../machine/machine-list.ts'
import type { Comparisons } from '../store/comparisons.ts'
import type { HistoryReader } from '../store/git/history.ts'
import { approveRoutes } from './approve.ts'
import { auditRoutes } from './audit.ts'
import { bundleRoutes } from './bundles.ts'
import { changeRoutes } from './changes.ts'
import { commentRoutes } from './comments.ts'
import { confirmRoutes } from './confirm.ts'
import { contextRoutes } from './context.ts'
import { decideRoutes } from './decide.ts'
import { diffRoutes } from './diff.ts'
import { dismissRoutes } from './dismiss.ts'
import type { EventStreams } from './events/event-streams.ts'
import { eventRoutes } from './events.ts'
import { exportRoutes } from './export.ts'
import { glossaryRoutes } from './glossary.ts'
import { historyRoutes } from './history.ts'
import { inboxRoutes } from './inbox.ts'
import { inboxFeedRoutes } from './inbox-feed.ts'
import { jobRoutes } from './jobs.ts'
import { keyRoutes } from './keys.ts'
import { machineRoutes } from './machines.ts'
import { manageRoutes } from './manage.ts'
import { memberRoutes } from './members.ts'
import { memoryRoutes } from './memory.ts'
import { memoryFileRoutes } from './memory-file.ts'
import { noteRoutes } from './notes.ts'
import { projectRoutes } from './projects.ts'
import { pushRoutes } from './push.ts'
import type { MemorySearch } from './reading/memory-search.ts'
import { refusalRoutes } from './refusals.ts'
import { releaseRoutes } from './releases.ts'
import { renamePlaceRoutes } from './rename-place.ts'
import { restoreRoutes } from './restore.ts'
import { revertRoutes } from './revert.ts'
import { statusRoutes } from './status.ts'
import { suggestRoutes } from './suggest.ts'
import { suggestionRoutes } from './suggestions.ts'
import { tokenRoutes } from './tokens.ts'
import { translateRoutes } from './translate.ts'
import type { JobRunner } from './translating/job-runner.ts'
import { typesRoutes } from './types.ts'
import { whoamiRoute } from './whoami.ts'
import { writeRoutes } from './writes.ts'

/** What routes share with the rest of the server. */
export interface ApiParts {
  history: HistoryReader
  comparisons: Comparisons
  search: MemorySearch
  machines: MachineList
  machineCaller: MachineCaller
  runner: JobRunner
  streams: EventStreams
  inbox: { reader: InboxReader; baseUrl: string | undefined }
  /** Of all caches. */
  cacheBytes: number
  hasMail: boolean
}

/** Adds them to a scope behind `identify`. */
export function apiRoutes(routes: FastifyInstance, parts: ApiParts): void {
  const { history, comparisons, search, machines, machineCaller, runner, streams, inbox, cacheBytes, hasMail } = parts
  projectRoutes(routes)
  bundleRoutes(routes)
  exportRoutes(routes)
  keyRoutes(routes)
  typesRoutes(routes)
  writeRoutes(routes)
  pushRoutes(routes)
  changeRoutes(routes)
  manageRoutes(routes)
  renamePlaceRoutes(routes)
  historyRoutes(routes, history)
  diffRoutes(routes, comparisons)
  confirmRoutes(routes)
  approveRoutes(routes)
  dismissRoutes(routes)
  noteRoutes(routes)
  commentRoutes(routes)
  suggestionRoutes(routes)
  decideRoutes(routes)
  glossaryRoutes(routes)
  statusRoutes(routes, cacheBytes / 8)
  memoryRoutes(routes, search, history)
  contextRoutes(routes, search)
  machineRoutes(routes, machines)
  suggestRoutes(routes, { memory: search, machines, caller: machineCaller })
  translateRoutes(routes, { memory: search, machines, runner })
  jobRoutes(routes, runner)
  refusalRoutes(routes)
  memoryFileRoutes(routes)
  restoreRoutes(routes)
  revertRoutes(routes)
  releaseRoutes(routes)
  eventRoutes(routes, streams)
  tokenRoutes(routes)
  memberRoutes(routes)
  inboxRoutes(routes, inbox.reader, hasMail)
  inboxFeedRoutes(routes, inbox)
  auditRoutes(routes)
  whoamiRoute(routes)
}
