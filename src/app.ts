/** The map of the server: opens the data folder and registers everything by hand, in order. */
import { mkdirSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { Auth } from './auth/auth.ts'
import { Failure } from './bundle/errors.ts'
import type { Config } from './config.ts'
import { logRequests } from './http/access-log.ts'
import { ambiguity } from './http/ambiguity.ts'
import { auditRoutes } from './http/audit.ts'
import { authRoutes } from './http/auth.ts'
import { leaveBodiesUnread } from './http/body.ts'
import { BodyMemory } from './http/body-memory.ts'
import { bundleRoutes } from './http/bundles.ts'
import { identify } from './http/caller.ts'
import { boundConnections, connectionOptions, farewell, PATIENCE, type Patience } from './http/connections.ts'
import { OriginPolicy } from './http/cors.ts'
import { diffRoutes } from './http/diff.ts'
import { editRoutes } from './http/edits.ts'
import { Encodings } from './http/encoding.ts'
import { answerFailure, answerFailures, answerParserError } from './http/errors.ts'
import { gitRoutes } from './http/git.ts'
import { healthRoutes } from './http/health.ts'
import { historyRoutes } from './http/history.ts'
import { manageRoutes } from './http/manage.ts'
import { otherMethods, tellMethods } from './http/methods.ts'
import { metricsRoute } from './http/metrics.ts'
import { DESCRIBING, openapiRoutes, watchRoutes } from './http/openapi.ts'
import { hostFault } from './http/origin.ts'
import { projectRoutes } from './http/projects.ts'
import { releaseRoutes } from './http/releases.ts'
import { Remembered } from './http/remembered.ts'
import { RequestCounts } from './http/request-counts.ts'
import { RequestLimits } from './http/request-limits.ts'
import { restoreRoutes } from './http/restore.ts'
import { SecurityHeaders } from './http/security-headers.ts'
import { tokenRoutes } from './http/tokens.ts'
import { Backup, type BackupDelays } from './store/backup/backup.ts'
import { Comparisons } from './store/comparisons.ts'
import { migrateDataFolder, refuseNewer, whyUnusable } from './store/data-folder.ts'
import { gitProcesses } from './store/git/git.ts'
import { HistoryReader } from './store/git/history.ts'
import { UploadPack } from './store/git/upload-pack.ts'
import { lockDataFolder } from './store/lock.ts'
import { Releases } from './store/releases.ts'
import { Store } from './store/store.ts'
import { SideThread } from './threads/side-thread.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Who may ask; also tells whether there is anybody yet. */
    auth: Auth
    /** Refuses requests from now on, in so many words, and resolves when every client has heard so or a moment is over: to be called before `close`. */
    farewell(): Promise<void>
  }
}

/** The built server. */
export type App = FastifyInstance

/** What a test may want otherwise. */
export interface BuildOptions {
  /** Milliseconds since 1970. */
  now?: () => number
  /** What takes the log's lines; standard output by default. */
  log?: { write(line: string): void }
  backupDelays?: Partial<BackupDelays>
  patience?: Partial<Patience>
}

/**
 * Builds the server over `config.dataDir`: everything open and ready, but not listening. `close()` finishes what is in
 * flight and closes all that was opened.
 *
 * @throws Failure `unavailable` when another server holds the data folder
 */
export async function buildApp(config: Config, options: BuildOptions = {}): Promise<App> {
  const origins = new OriginPolicy(config.corsOrigins)
  const security = new SecurityHeaders(config)
  const limits = config.rates && new RequestLimits(config.rates)
  const patience = { ...PATIENCE, ...options.patience }
  const counts = new RequestCounts()
  /** What every answer carries, whatever it will be. */
  const greet = (request: FastifyRequest, reply: FastifyReply) => {
    const open = origins.covers(request)
    security.add(request, reply, open)
    if (open) origins.allow(request, reply)
  }
  const app = Fastify({
    logger:
      config.logLevel === 'silent' ? false : { level: config.logLevel, ...(options.log && { stream: options.log }) },
    logController: new LogController({ disableRequestLogging: true }),
    // A logger for each request costs more than the few lines that name it themselves.
    childLoggerFactory: logger => logger,
    trustProxy: trust(config.trustProxy),
    // A key of 1,024 characters is at most 12,288 when percent-encoded, and the request line is one of the headers.
    routerOptions: { maxParamLength: 16_384 },
    ...connectionOptions(patience),
    // Fastify's own answer has another shape than ours.
    return503OnClosing: false,
    schemaController: { compilersFactory: DESCRIBING },
    clientErrorHandler: answerParserError,
    frameworkErrors: (error, request, reply) => {
      counts.unknown(request, reply)
      greet(request, reply)
      answerFailure(error, request, reply)
    },
  })
  try {
    const { store, auth, backup } = await openData(app, config, options)
    const routes = watchRoutes(app)
    leaveBodiesUnread(app)
    counts.watch(app)
    answerFailures(app, (request, reply) => counts.unknown(request, reply))
    app.decorateRequest('caller', null)
    app.decorateRequest('state', null)
    app.decorate('auth', auth)
    app.decorate('encodings', new Encodings((config.cacheBytes / 8) * 3))
    app.decorate('bodies', new BodyMemory(config.limits.allBodies))
    const dependsOn = (request: IncomingMessage) => {
      const [scheme, origin] = [security.dependsOn(request), origins.dependsOn(request)]
      return scheme === '' && origin === '' ? '' : `${scheme} ${origin}`
    }
    const remembered = new Remembered({ limitBytes: config.cacheBytes / 16, auth, store, counts, limits, dependsOn })
    app.decorate('remembered', remembered)
    boundConnections(app, config.connections, patience)
    const known = { ...(config.baseUrl && { baseUrl: config.baseUrl }), ...(limits && { limits }) }
    app.addHook('onRequest', (request, reply, done) => {
      greet(request, reply)
      if (request.method !== 'GET') app.bodies.follow(request, reply)
      if (closing) reply.header('connection', 'close')
      const stopping = closing && new Failure('unavailable', 'The server is shutting down.', { retryAfter: 1 })
      done(stopping || hostFault(request) || ambiguity(request.raw))
    })
    let closing = false
    app.decorate('farewell', () => {
      closing = true
      return farewell(app, patience)
    })
    app.addHook('preClose', done => {
      closing = true
      done()
    })
    // A log of every read needs to hear of every read.
    remembered.answerFirst(app, () => !closing && config.logRequests !== 'all')
    app.addHook('onResponse', logRequests(config.logRequests))

    const thread = new SideThread(app.log, { largestBody: config.limits.namespaceBody })
    app.addHook('onClose', () => thread.close())
    const comparisons = new Comparisons(config.cacheBytes / 16)
    // Each of its readers is two processes.
    const readers = Math.ceil(config.gitProcesses / 2)
    const history = new HistoryReader({ readers, comparisons })
    await app.register(async scope => {
      const complete = otherMethods(scope, (_request, reply, methods) => origins.answerPreflight(reply, methods))
      await scope.register(async routes => {
        routes.addHook('onRequest', identify(auth, known))
        projectRoutes(routes, store, config.limits.body)
        bundleRoutes(routes, store, thread, config.cacheBytes / 16)
        editRoutes(routes, store, thread, { ...config.limits, parsedBundles: config.cacheBytes / 16 })
        manageRoutes(routes, store, config.limits)
        historyRoutes(routes, store, history)
        diffRoutes(routes, store, comparisons)
        restoreRoutes(routes, store, config.limits.body)
        releaseRoutes(routes, new Releases(store), config.limits.body)
      })
      complete()
    })
    await app.register(async scope => {
      const complete = otherMethods(scope, tellMethods)
      await scope.register(async routes => {
        routes.addHook('onRequest', identify(auth, known))
        tokenRoutes(routes, auth, config.limits.body)
        auditRoutes(routes, auth)
      })
      healthRoutes(scope, store, auth, backup)
      complete()
    })
    const uploadPack = new UploadPack({ processes: config.gitProcesses, log: app.log })
    await app.register(async scope => {
      const complete = otherMethods(scope, tellMethods)
      await scope.register(async routes => {
        gitRoutes(routes, store, auth, uploadPack, limits && { limits })
      })
      complete()
    })
    metricsRoute(app, config.metrics, {
      requests: () => counts.all(),
      store: () => store.load(),
      ...store.durations,
      git: () => ({ running: gitProcesses(), waiting: uploadPack.load.waiting + history.load.waiting }),
      backup: backup && (() => backup.metrics()),
    })
    authRoutes(app, auth, { ...config, bodyLimit: config.limits.body })
    openapiRoutes(app, auth, routes)
    await app.ready()
    return app
  } catch (error) {
    await app.close()
    throw error
  }
}

/** Fastify takes a number of proxies for no trust at all, since it cannot tell who the nearest one is; the operator can, and says so by giving it. */
function trust(proxies: Config['trustProxy']) {
  return typeof proxies === 'number' ? (_address: string, hop: number) => hop < proxies : proxies
}

/** Opens lock, store, auth and backup, in this order; they close in the other one. */
async function openData(app: FastifyInstance, config: Config, options: BuildOptions) {
  try {
    return await openAll(app, config, options)
  } catch (error) {
    throw whyUnusable(config.dataDir, error)
  }
}

async function openAll(app: FastifyInstance, config: Config, { now, backupDelays }: BuildOptions) {
  mkdirSync(config.dataDir, { recursive: true })
  refuseNewer(config.dataDir)
  const lock = lockDataFolder(config.dataDir)
  app.addHook('onClose', () => lock.release())
  await migrateDataFolder(config.dataDir)
  const time = now === undefined ? {} : { now }
  const log: FastifyBaseLogger = app.log
  const directory = join(config.dataDir, 'organizations')
  let backup: Backup | undefined
  const store = await Store.open({
    directory,
    cacheBytes: (config.cacheBytes / 8) * 3,
    onSealed: id => backup?.changed(id),
    log,
    ...time,
  })
  app.addHook('onClose', () => store.close())
  const auth = await Auth.open({
    dataDir: config.dataDir,
    signUp: config.signUp,
    rateLimit: config.rateLimit,
    ...(config.oidc && { oidc: config.oidc }),
    onOrganizationDeleted: async id => {
      await backup?.forget(id)
      await store.remove(id)
    },
    log,
    ...time,
  })
  app.addHook('onClose', () => auth.close())
  if (config.backupRemote) {
    const { dataDir, backupRemote: remote } = config
    backup = await Backup.open({ remote, dataDir, store, directory, accounts: auth, log, delays: backupDelays })
    app.addHook('onClose', () => backup?.close())
    backup.start()
  }
  return { store, auth, backup }
}
