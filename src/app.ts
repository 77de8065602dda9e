/** The map of the server: opens the data folder and registers everything by hand, in order. */
import type { IncomingMessage, RequestListener } from 'node:http'
import { join } from 'node:path'
import Fastify, { type FastifyInstance, type FastifyReply, LogController } from 'fastify'
import type { Auth } from './auth/auth.ts'
import { stopping } from './bundle/errors.ts'
import type { Cluster } from './cluster/cluster.ts'
import type { Config } from './config.ts'
import { agentsGuideRoute } from './http/agents-guide.ts'
import { AnswerCache } from './http/answer-cache.ts'
import { OriginPolicy } from './http/answers/cors.ts'
import { Encodings } from './http/answers/encoding.ts'
import { answerFailure, answerFailures, answerParserError } from './http/answers/errors.ts'
import { SecurityHeaders } from './http/answers/security-headers.ts'
import { type ApiParts, apiRoutes } from './http/api-routes.ts'
import { authRoutes } from './http/auth.ts'
import { AnswerMemory } from './http/bounds/answer-memory.ts'
import { BodyMemory } from './http/bounds/body-memory.ts'
import {
  CONNECTION_TIMEOUTS,
  Connections,
  type ConnectionTimeouts,
  createHttpServer,
  cutAtClosing,
  farewell,
} from './http/bounds/connections.ts'
import { type DescriptorShares, descriptorLimit, shareDescriptors } from './http/bounds/descriptors.ts'
import { RequestLimits } from './http/bounds/request-limits.ts'
import { cliRoutes } from './http/cli.ts'
import { dashboardRoutes } from './http/dashboard.ts'
import { EventStreams } from './http/events/event-streams.ts'
import { gitRoutes } from './http/git.ts'
import { healthRoutes } from './http/health.ts'
import { inboxAtomRoute } from './http/inbox-feed.ts'
import { acceptBearer, mcpRoute } from './http/mcp.ts'
import { metricsRoute } from './http/metrics.ts'
import { DESCRIBING, openapiRoutes, watchRoutes } from './http/openapi.ts'
import { MemorySearch } from './http/reading/memory-search.ts'
import { logRequests } from './http/requests/access-log.ts'
import { ambiguity } from './http/requests/ambiguity.ts'
import { identify } from './http/requests/caller.ts'
import { checkRequests } from './http/requests/check-requests.ts'
import { PathMethods, slashFault } from './http/requests/methods.ts'
import { hostFault, pathOf } from './http/requests/origin.ts'
import { RequestCounts } from './http/requests/request-counts.ts'
import { signInRoute } from './http/sign-in.ts'
import { startDigests } from './http/start-digests.ts'
import { JobRunner } from './http/translating/job-runner.ts'
import { ChangeRunner } from './http/writing/change-runner.ts'
import { PermittedWrites } from './http/writing/permitted-writes.ts'
import { InboxReader } from './inbox/inbox-reader.ts'
import { MachineCaller } from './machine/machine-caller.ts'
import { MachineList } from './machine/machine-list.ts'
import { TranslationMemory } from './memory/translation-memory.ts'
import { type DataOptions, type OpenedData, openData } from './open-data.ts'
import { Background } from './scheduling/background.ts'
import { Comparisons } from './store/comparisons.ts'
import { gitProcesses } from './store/git/git.ts'
import { HistoryReader } from './store/git/history.ts'
import { UploadPack } from './store/git/upload-pack.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Who may ask, and whether there are any users. */
    auth: Auth
    /** All work that no request waits for. */
    background: Background
    /** Refuses further requests and says so to every client, for a limited time. Call it before `close`. */
    farewell(): Promise<void>
  }
}

/** The built server. */
export type App = FastifyInstance

/** Options for tests. */
export interface BuildOptions extends DataOptions {
  /** Receives the log's lines; standard output by default. */
  log?: { write(line: string): void }
  timeouts?: Partial<ConnectionTimeouts>
}

/**
 * Builds the server over `config.dataDir`: all is open and ready, but not listening. `close()` finishes what is in
 * flight and closes all.
 * @throws Failure `unavailable` when another server holds the data folder
 */
export async function buildApp(config: Config, options: BuildOptions = {}): Promise<App> {
  const origins = new OriginPolicy(config.corsOrigins)
  const security = new SecurityHeaders(config)
  const limits = config.rates && new RequestLimits(config.rates)
  const timeouts = { ...CONNECTION_TIMEOUTS, ...options.timeouts }
  const counts = new RequestCounts()
  /** The headers of every answer. */
  const greet = (reply: FastifyReply) => {
    const open = origins.covers(reply.request)
    security.add(reply, open)
    if (open) origins.allow(reply)
  }
  const descriptors = shareDescriptors(descriptorLimit(), config)
  const connections = new Connections(descriptors.connections)
  let closing = false
  let answerCache: AnswerCache | undefined
  let cluster: Cluster | undefined
  // A log of every read must hear of every read.
  const answersFirst = () =>
    answerCache !== undefined && !closing && config.logRequests !== 'all' && (cluster === undefined || cluster.isFresh)
  const app = Fastify({
    logger:
      config.logLevel === 'silent' ? false : { level: config.logLevel, ...(options.log && { stream: options.log }) },
    logController: new LogController({ disableRequestLogging: true }),
    // A logger for each request costs more than the few lines that name it themselves.
    childLoggerFactory: logger => logger,
    trustProxy: trust(config.trustProxy),
    bodyLimit: config.limits.body,
    // A key of 1,024 characters has at most 12,288 percent-encoded, and headers include the request line.
    routerOptions: { maxParamLength: 16_384 },
    serverFactory: handler => {
      const first: RequestListener = (request, response) => {
        request.url = pathOf(request.url!)
        if (cluster?.answers(request, response)) return
        if (!answersFirst() || !answerCache!.answers(request, response)) handler(request, response)
      }
      return connections.watch(createHttpServer(first, timeouts))
    },
    // Fastify's own answer has another shape.
    return503OnClosing: false,
    schemaController: { compilersFactory: DESCRIBING },
    clientErrorHandler: answerParserError,
    frameworkErrors: (error, request, reply) => {
      counts.unknown(reply)
      greet(reply)
      answerFailure(error, request, reply)
    },
  })
  app.decorate('background', new Background(app.log))
  try {
    warnOfDescriptors(app, config, descriptors)
    const opener = {
      log: app.log,
      background: app.background,
      onClose: (close: () => Promise<void> | void) => void app.addHook('onClose', close),
    }
    const opened = await openData(config, opener, options, descriptors)
    const { store, auth, backup, worker } = opened
    cluster = opened.cluster
    const routes = watchRoutes(app)
    checkRequests(app)
    counts.watch(app)
    answerFailures(app)
    app.decorateRequest('caller', null)
    app.decorateRequest('state', null)
    app.decorateRequest('refusal', null)
    app.decorateRequest('unmatchedRoute', null)
    app.decorate('auth', auth)
    app.decorate('store', store)
    app.decorate('worker', worker)
    app.decorate('limits', config.limits)
    app.decorate('encodings', new Encodings(config.cacheBytes / 4))
    app.decorate('bodies', new BodyMemory(config.limits.allBodies))
    app.decorate('answers', new AnswerMemory(config.limits.allBodies))
    const dependsOn = (request: IncomingMessage) => {
      const [scheme, origin] = [security.dependsOn(request), origins.dependsOn(request)]
      return scheme === '' && origin === '' ? '' : `${scheme} ${origin}`
    }
    answerCache = new AnswerCache(app, { limitBytes: config.cacheBytes / 16, counts, limits, dependsOn })
    app.decorate('answerCache', answerCache)
    cutAtClosing(app, connections, timeouts)
    app.addHook('onRequest', (request, reply, done) => {
      greet(reply)
      if (request.method !== 'GET') app.bodies.follow(reply)
      if (closing) reply.header('connection', 'close')
      done((closing && stopping()) || ambiguity(request.raw) || hostFault(request) || slashFault(request))
    })
    const methods = new PathMethods()
    app.addHook('onRequest', (request, reply, done) => {
      if (request.is404) methods.answer(reply, (reply, methods) => origins.answerOptions(reply, methods))
      else done()
    })
    app.decorate('mayRead', () => opened.cluster?.mayRead ?? true)
    if (opened.cluster) {
      const node = opened.cluster
      const { markStaleReads } = await import('./cluster/stale-reads.ts')
      markStaleReads(app, node)
      // It tries again by itself, and says so.
      app.addHook('onListen', () => node.listening().catch(() => {}))
    }
    const all = Math.max(1, Math.floor(descriptors.connections / 2))
    const streams = new EventStreams(app, { ...config.streams, all }, config.cacheBytes / 32, timeouts.silence)
    app.decorate('farewell', async () => {
      // A load balancer then asks another node. The listener closes first, in the same turn: clients reconnect when the
      // server says that it closes, and the other nodes treat a refused connection as proof that this node is down.
      if (cluster) await connections.stopListening()
      closing = true
      streams.close()
      await farewell(connections, timeouts)
    })
    app.addHook('preClose', done => {
      closing = true
      streams.close()
      // biome-ignore lint/nursery/noFloatingPromises: a callback of Fastify's, which returns nothing
      done()
    })
    app.addHook('onResponse', logRequests(config.logRequests, app.background))

    app.decorate('writes', new PermittedWrites(store, auth))
    app.decorate('changes', new ChangeRunner(app.writes, worker))
    const comparisons = new Comparisons(config.cacheBytes / 16, opened.compute)
    // Each reader is two processes.
    const readers = Math.ceil(config.gitProcesses / 2)
    const history = new HistoryReader({ readers, comparisons })
    const memory = new TranslationMemory(app.log, app.background)
    app.addHook('onClose', () => memory.close())
    const search = new MemorySearch(memory)
    const machines = new MachineList(
      config.machinesFile ?? join(config.dataDir, 'machines.json'),
      config.machinesFile !== undefined,
    )
    // A bad file stops the start.
    await machines.read()
    const machineCaller = new MachineCaller(auth.spending)
    const jobParts = { app, memory: search, machines, machineCaller, streams }
    const runner = new JobRunner(jobParts)
    app.addHook('onClose', () => runner.close())
    const inbox = { reader: new InboxReader(config.cacheBytes / 32), baseUrl: config.baseUrl, limits }
    const uploadPack = new UploadPack({ processes: config.gitProcesses, log: app.log })
    const parts: ApiParts = {
      ...{ history, comparisons, search, machines, machineCaller, runner, streams, inbox },
      ...{ cacheBytes: config.cacheBytes, hasMail: config.mail !== undefined },
    }
    await app.register(async scope => {
      methods.watch(scope)
      await scope.register(async routes => {
        routes.addHook('onRequest', identify(auth, config.baseUrl, limits))
        apiRoutes(routes, parts)
      })
      await scope.register(async routes => {
        acceptBearer(routes)
        routes.addHook('onRequest', identify(auth, config.baseUrl, limits))
        mcpRoute(routes, config.baseUrl)
      })
      healthRoutes(scope, backup, cluster)
      cliRoutes(scope)
      agentsGuideRoute(scope)
      inboxAtomRoute(scope, inbox)
      signInRoute(scope, config)
      dashboardRoutes(scope)
      await scope.register(async routes => gitRoutes(routes, store, auth, uploadPack, limits && { limits }))
    })
    metricsRoute(app, config.metrics, {
      requests: () => counts.all(),
      refusals: () => counts.refusals,
      store: () => store.load(),
      ...store.durations,
      git: () => ({ running: gitProcesses(), waiting: uploadPack.load.waiting + history.load.waiting }),
      streams: () => streams.counts,
      backup: config.backupRemote && (() => totalsOf(backup())),
      cluster: cluster && (() => opened.cluster!.status()),
    })
    authRoutes(app, config.baseUrl)
    await app.register(async scope => {
      methods.watch(scope)
      app.decorate('openapi', openapiRoutes(scope, routes, config.oidc !== undefined))
    })
    await app.ready()
    runner.start(cluster)
    if (opened.mailer) startDigests(app, opened.mailer, { ...inbox, baseUrl: config.mail!.baseUrl, options })
    return app
  } catch (error) {
    await app.close()
    throw error
  }
}

/** Zeros on a node that does not push the backup: the node that does reports them. */
const totalsOf = (backup: ReturnType<OpenedData['backup']>) =>
  backup === undefined || backup === 'elsewhere' ? { lag: 0, lastSuccess: null, failures: 0 } : backup.metrics()

/** Fastify ignores a number of proxies, as it cannot know the nearest one. The operator who sets the number does. */
function trust(proxies: Config['trustProxy']) {
  return typeof proxies === 'number' ? (_address: string, hop: number) => hop < proxies : proxies
}

/** Reports fewer descriptors than the settings want. */
function warnOfDescriptors(app: FastifyInstance, config: Config, { connections }: DescriptorShares): void {
  if (connections >= config.connections) return
  const limit = descriptorLimit()
  app.log.warn(
    `MAX_CONNECTIONS is lowered from ${config.connections} to ${connections}: this process may have ${limit} files and ` +
      `connections open (\`ulimit -n\` ${limit}), and the store, SQLite and git need theirs.`,
  )
}
