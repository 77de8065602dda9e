/** What Prometheus may read: how the server does, counted over all organizations, and never a name, an id or a path of anybody's. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { BlockList, isIP } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, type Histogram, Registry } from 'prom-client'
import { z } from 'zod'
import { Failure } from '../bundle/errors.ts'
import type { Config } from '../config.ts'
import type { BackupTotals } from '../store/backup/backup.ts'
import { type Durations, LIMITS } from '../store/durations.ts'
import type { StoreLoad } from '../store/store.ts'
import { nothingHere } from './errors.ts'
import type { Answered } from './request-counts.ts'
import { failures } from './shapes.ts'

/** What is measured, asked for at each scrape and at no other time. */
export interface Sources {
  requests: () => Answered[]
  /** By their reasons. */
  refusals: () => ReadonlyMap<string, number>
  store: () => StoreLoad
  writes: Durations
  seals: Durations
  /** Processes of git, and clones that wait for one. */
  git: () => { running: number; waiting: number }
  /** Undefined when there is no backup. */
  backup: (() => BackupTotals) | undefined
}

/** Adds the route, as far as the settings let anybody read it. */
export function metricsRoute(app: FastifyInstance, access: Config['metrics'], sources: Sources): void {
  if (access.for === 'nobody') return
  const registry = new Registry()
  measureRequests(registry, sources)
  measureStore(registry, sources)
  if (sources.backup) measureBackup(registry, sources.backup)
  const metrics = {
    tags: ['Server'],
    operationId: 'getMetrics',
    summary: 'What Prometheus reads',
    description:
      'In the text format of Prometheus. Only for programs on the same machine, unless the setting `METRICS_TOKEN` ' +
      'gives it to whoever has that token.',
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

/** CPU, memory, descriptors, the lag of the event loop, garbage collection: of this process, so once for it; measured from the first scrape on. */
function ofThisProcess(): Registry {
  if (processMetrics === undefined) {
    processMetrics = new Registry()
    collectDefaultMetrics({ register: processMetrics, eventLoopMonitoringPrecision: 20 })
  }
  return processMetrics
}

/** @throws Failure `not-found` for whoever is not on this machine, `unauthenticated` without the token where there is one */
function admit(request: FastifyRequest, access: Config['metrics']): void {
  if (access.for === 'bearer') {
    const given = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1]
    if (given !== undefined && equal(given, access.token)) return
    throw new Failure(
      'unauthenticated',
      'Send the token of the setting METRICS_TOKEN: Authorization: Bearer <token>.',
      {
        challenge: 'Bearer realm="Parlance metrics"',
      },
    )
  }
  if (!isLocal(request)) throw nothingHere()
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8)
loopback.addAddress('::1', 'ipv6')

/**
 * Whether a program on this machine asks for itself. What a proxy hands on comes from this machine too: it is known by the
 * headers that proxies add, by HTTP/1.0, which nginx speaks unless told otherwise and Prometheus does not, or by a Host that is
 * not this machine's own; so is a page of another site whose name was made to point here.
 */
function isLocal({ raw, headers }: FastifyRequest): boolean {
  const handedOn = Object.keys(headers).some(name => /^(forwarded|via|x-real-ip|x-forwarded-.*)$/.test(name))
  if (handedOn || raw.httpVersion === '1.0' || !isLoopback(raw.socket.remoteAddress)) return false
  const host = (headers.host ?? '').replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')
  return host.toLowerCase() === 'localhost' || isLoopback(host)
}

function isLoopback(address = ''): boolean {
  const version = isIP(address)
  return version !== 0 && loopback.check(address, version === 4 ? 'ipv4' : 'ipv6')
}

/** Compares by digests of one length, so that how long it takes tells nothing. */
function equal(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(wanted))
}

function measureRequests(registry: Registry, { requests, refusals }: Sources): void {
  const registers = [registry]
  new Counter({
    name: 'parlance_http_requests_total',
    help: 'Answers by route, method and class of status.',
    labelNames: ['route', 'method', 'status'],
    registers,
    collect() {
      this.reset()
      for (const { route, method, classes } of requests()) {
        for (const [digit, count] of classes.entries())
          if (count > 0) this.inc({ route, method, status: `${digit}xx` }, count)
      }
    },
  })
  new Counter({
    name: 'parlance_http_refusals_total',
    help: 'Requests that were refused, by the reason.',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset()
      for (const [reason, count] of refusals()) this.inc({ reason }, count)
    },
  })
  histogram(registry, {
    name: 'parlance_http_request_duration_seconds',
    help: 'From the arrival of the headers to the last byte of the answer.',
    series: () => requests().map(({ route, method, durations }) => ({ labels: { route, method }, durations })),
  })
}

function measureStore(registry: Registry, { store, writes, seals, git }: Sources): void {
  const single = (durations: Durations) => () => [{ labels: {}, durations }]
  histogram(registry, {
    name: 'parlance_write_duration_seconds',
    help: 'From the asking for a write to its being durable.',
    series: single(writes),
  })
  histogram(registry, {
    name: 'parlance_seal_duration_seconds',
    help: "How long it takes to bring acknowledged commits into git's objects, branch and work tree.",
    series: single(seals),
  })
  const gauge = (name: string, help: string, value: () => number) => measure(registry, { name, help, value })
  gauge('parlance_organizations_open', 'Organizations that are open.', () => store().open)
  gauge('parlance_write_queue_length', 'Writes that wait for their turn.', () => store().queued)
  gauge(
    'parlance_unsealed_commits',
    "Commits that are in a journal and not in git's objects yet.",
    () => store().unsealed,
  )
  gauge('parlance_journal_bytes', 'What such commits take in the journals.', () => store().journalBytes)
  gauge('parlance_cache_bytes', 'Trees and file contents kept in memory.', () => store().cacheBytes)
  gauge('parlance_git_processes', 'Processes of git that run.', () => git().running)
  gauge('parlance_git_waiting', 'Clones and fetches that wait for a process of git.', () => git().waiting)
}

function measureBackup(registry: Registry, backup: () => BackupTotals): void {
  const registers = [registry]
  measure(registry, {
    name: 'parlance_backup_lag_seconds',
    help: 'Since the oldest change of any organization, or of the accounts, that is not pushed; 0 when there is none.',
    value: () => backup().lag,
  })
  new Gauge({
    name: 'parlance_backup_last_success_timestamp_seconds',
    help: 'When anything was last pushed.',
    registers,
    collect() {
      const { lastSuccess } = backup()
      if (lastSuccess === null) this.remove()
      else this.set(lastSuccess / 1000)
    },
  })
  new Counter({
    name: 'parlance_backup_failures_total',
    help: 'Pushes that failed since the start.',
    registers,
    collect() {
      this.reset()
      this.inc(backup().failures)
    },
  })
}

/** A gauge that is read at each scrape. */
function measure(registry: Registry, options: { name: string; help: string; value: () => number }): void {
  const { name, help, value } = options
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(value())
    },
  })
}

interface HistogramOptions {
  name: string
  help: string
  series: () => { labels: Record<string, string>; durations: Durations }[]
}

/** A histogram that is counted elsewhere: prom-client's own looks its labels up at every observation, which is dear at every request. */
function histogram(registry: Registry, { name, help, series }: HistogramOptions): void {
  const get = async () => ({ name, help, type: 'histogram', values: series().flatMap(one => samples(name, one)) })
  registry.registerMetric({ name, help, get } as unknown as Histogram)
}

function samples(name: string, { labels, durations }: ReturnType<HistogramOptions['series']>[number]) {
  let count = 0
  const buckets = durations.counts.map((inBucket, index) => {
    const le = index < LIMITS.length ? String(LIMITS[index]! / 1000) : '+Inf'
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: (count += inBucket) }
  })
  const sum = { metricName: `${name}_sum`, labels, value: durations.sum / 1000 }
  return [...buckets, sum, { metricName: `${name}_count`, labels, value: count }]
}
