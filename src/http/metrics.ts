/** Metrics for Prometheus over all organizations, without anybody's names, ids or paths. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { collectDefaultMetrics, type Metric, Registry } from 'prom-client'
import { z } from 'zod'
import { Failure } from '../bundle/errors.ts'
import type { Config } from '../config.ts'
import { isLoopback } from '../settings.ts'
import type { BackupTotals } from '../store/backup/backup.ts'
import { type Durations, LIMITS } from '../store/durations.ts'
import type { StoreLoad } from '../store/store.ts'
import { nothingHere } from './answers/errors.ts'
import type { NodeStatus } from './answers/node-status.ts'
import type { StreamCounts } from './events/event-streams.ts'
import type { Answered } from './requests/request-counts.ts'
import { failures } from './requests/shapes.ts'

/** The measures, asked for only at scrapes. */
interface Sources {
  requests: () => Answered[]
  refusals: () => ReadonlyMap<string, number>
  store: () => StoreLoad
  writes: Durations
  seals: Durations
  /** git processes, and clones waiting for one. */
  git: () => { running: number; waiting: number }
  streams: () => StreamCounts
  /** Undefined without a backup. */
  backup: (() => BackupTotals) | undefined
  /** Undefined for one server alone. */
  cluster: NodeStatus['status'] | undefined
}

/** Adds the route, if the settings let anybody read it. */
export function metricsRoute(app: FastifyInstance, access: Config['metrics'], sources: Sources): void {
  if (access.for === 'nobody') return
  const registry = new Registry()
  const add = adding(registry)
  measureRequests(add, sources)
  measureStore(add, sources)
  measureStreams(add, sources)
  const { backup, cluster } = sources
  if (backup) measureBackup(add, backup)
  if (cluster) measureNodes(add, cluster)
  const metrics = {
    tags: ['Server'],
    operationId: 'getMetrics',
    summary: 'Metrics for Prometheus',
    description:
      'In the text format of Prometheus. Only for programs on the same machine, unless the setting `METRICS_TOKEN` ' +
      'allows clients with that token.',
    security: access.for === 'bearer' ? [{ metricsToken: [] }] : [],
    response: {
      200: {
        description: 'Counters, gauges and histograms.',
        body: z.string().meta({ examples: ['parlance_unsealed_commits 0\n'] }),
        type: 'text/plain',
      },
      ...failures('unauthenticated', 'not-found'),
    },
  }
  app.get('/metrics', { schema: metrics }, async (request, reply) => {
    admit(request, access)
    reply.header('cache-control', 'no-store')
    const texts = [await registry.metrics(), await ofThisProcess().metrics()]
    return reply.type(registry.contentType).send(texts.join('\n'))
  })
}

let processMetrics: Registry | undefined

/** This process' own metrics, from the first scrape on. */
function ofThisProcess(): Registry {
  if (processMetrics === undefined) {
    processMetrics = new Registry()
    collectDefaultMetrics({ register: processMetrics, eventLoopMonitoringPrecision: 20 })
  }
  return processMetrics
}

/** @throws Failure `not-found` off this machine, `unauthenticated` without the token where one is set */
function admit(request: FastifyRequest, access: Config['metrics']): void {
  if (access.for === 'bearer') {
    const given = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1]
    if (given !== undefined && equal(given, access.token)) return
    const words = 'Send the token of the setting METRICS_TOKEN: Authorization: Bearer <token>.'
    throw new Failure('unauthenticated', words, { challenge: 'Bearer realm="Parlance metrics"' })
  }
  if (!isLocal(request)) throw nothingHere()
}

/**
 * Whether a program on this machine asks directly. A proxy shows by its headers, by HTTP/1.0 (nginx's default, unknown
 * to Prometheus) or by a foreign Host, which DNS rebinding shows too.
 */
function isLocal({ raw, headers }: FastifyRequest): boolean {
  const handedOn = Object.keys(headers).some(name => /^(forwarded|via|x-real-ip|x-forwarded-.*)$/.test(name))
  if (handedOn || raw.httpVersion === '1.0' || !isLoopback(raw.socket.remoteAddress ?? '')) return false
  const host = (headers.host ?? '').replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')
  return isLoopback(host.toLowerCase())
}

/** Compares digests of one length, so that timing reveals nothing. */
function equal(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(wanted))
}

/** One line of a metric: histograms have several names. */
interface Sample {
  labels?: Record<string, string>
  metricName?: string
  value: number
}

/** prom-client's own metrics look up their labels at every observation, too slow per request. */
type Add = (
  type: 'counter' | 'gauge' | 'histogram',
  name: string,
  help: string,
  samples: () => Sample[] | Promise<Sample[]>,
) => void

const adding =
  (registry: Registry): Add =>
  (type, name, help, samples) => {
    const get = async () => ({ name, help, type, values: (await samples()).map(sample => ({ labels: {}, ...sample })) })
    registry.registerMetric({ name, help, get } as unknown as Metric)
  }

function measureRequests(add: Add, { requests, refusals }: Sources): void {
  add('counter', 'parlance_http_requests_total', 'Answers by route, method and class of status.', () =>
    requests().flatMap(({ route, method, classes }) =>
      classes.flatMap((value, digit) => (value > 0 ? { labels: { route, method, status: `${digit}xx` }, value } : [])),
    ),
  )
  add('counter', 'parlance_http_refusals_total', 'Requests that were refused, by the reason.', () =>
    [...refusals()].map(([reason, value]) => ({ labels: { reason }, value })),
  )
  const duration = 'parlance_http_request_duration_seconds'
  add('histogram', duration, 'From the arrival of the headers to the last byte of the answer.', () =>
    requests().flatMap(({ route, method, durations }) => buckets(duration, durations, { route, method })),
  )
}

function measureStore(add: Add, { store, writes, seals, git }: Sources): void {
  const histogram = (name: string, help: string, durations: Durations) =>
    add('histogram', name, help, () => buckets(name, durations))
  histogram('parlance_write_duration_seconds', 'From the asking for a write to its being durable.', writes)
  histogram(
    'parlance_seal_duration_seconds',
    "Duration of moving acknowledged commits into git's objects, branch and work tree.",
    seals,
  )
  const gauge = (name: string, help: string, value: () => number) =>
    add('gauge', name, help, () => [{ value: value() }])
  gauge('parlance_organizations_open', 'Organizations that are open.', () => store().open)
  gauge('parlance_write_queue_length', 'Writes that wait for their turn.', () => store().queued)
  gauge(
    'parlance_unsealed_commits',
    "Commits that are in a journal and not in git's objects yet.",
    () => store().unsealed,
  )
  gauge('parlance_journal_bytes', 'Bytes of such commits in the journals.', () => store().journalBytes)
  gauge('parlance_cache_bytes', 'Trees and file contents cached in memory.', () => store().cacheBytes)
  gauge('parlance_git_processes', 'Processes of git that run.', () => git().running)
  gauge('parlance_git_waiting', 'Clones and fetches that wait for a process of git.', () => git().waiting)
}

function measureStreams(add: Add, { streams }: Sources): void {
  add('gauge', 'parlance_event_streams', 'Streams of events that are open.', () => [{ value: streams().open }])
  add('counter', 'parlance_events_sent_total', 'Events sent, once for each stream.', () => [{ value: streams().sent }])
  add('counter', 'parlance_event_streams_ended_total', 'Streams that the server ended, by the reason.', () =>
    [...streams().ended].map(([reason, value]) => ({ labels: { reason }, value })),
  )
}

function measureBackup(add: Add, backup: () => BackupTotals): void {
  const lag =
    'Since the oldest change of any organization, or of the accounts, that is not pushed; 0 when there is none.'
  add('gauge', 'parlance_backup_lag_seconds', lag, () => [{ value: backup().lag }])
  add('gauge', 'parlance_backup_last_success_timestamp_seconds', 'When anything was last pushed.', () => {
    const { lastSuccess } = backup()
    return lastSuccess === null ? [] : [{ value: lastSuccess / 1000 }]
  })
  add('counter', 'parlance_backup_failures_total', 'Pushes that failed since the start.', () => [
    { value: backup().failures },
  ])
}

function measureNodes(add: Add, status: NodeStatus['status']): void {
  const gauge = (name: string, help: string, value: (one: Awaited<ReturnType<typeof status>>) => number | null) =>
    add('gauge', name, help, async () => {
      const measured = value(await status())
      return measured === null ? [] : [{ value: measured }]
    })
  gauge('parlance_cluster_nodes', 'Nodes that serve, as this one last knew.', ({ nodes }) => nodes.length)
  gauge('parlance_cluster_engine_up', 'Whether the database of the cluster answers.', ({ engine }) =>
    Number(engine === 'ok'),
  )
  gauge('parlance_cluster_fresh', 'Whether this node knows all that was acknowledged.', ({ isFresh }) =>
    Number(isFresh),
  )
  gauge('parlance_cluster_lease_age_seconds', "Since this node's lease was last renewed.", ({ leaseAge }) => leaseAge)
  gauge('parlance_cluster_lag_entries', "Entries of the log that are not in this node's git yet.", ({ lag }) => lag)
}

function buckets(name: string, { counts, sum }: Durations, labels: Record<string, string> = {}): Sample[] {
  let value = 0
  const limited = counts.map((inBucket, index) => {
    const le = index < LIMITS.length ? String(LIMITS[index]! / 1000) : '+Inf'
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: (value += inBucket) }
  })
  return [
    ...limited,
    { metricName: `${name}_sum`, labels, value: sum / 1000 },
    { metricName: `${name}_count`, labels, value },
  ]
}
