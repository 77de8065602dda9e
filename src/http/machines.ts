/** The machine translators of this server: what they are called, and what they have spent this month. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { quoteSome } from '../bundle/complaints.ts'
import { Failure } from '../bundle/errors.ts'
import { inUnit, MACHINE_KINDS, type Machine, meterOf, unitOf } from '../machine/machine.ts'
import { machineFailure } from '../machine/machine-fault.ts'
import type { MachineList } from '../machine/machine-list.ts'
import { sendJson } from './answers/conditional.ts'
import { component, like, reading, text } from './requests/shapes.ts'

const MachineRow = component('Machine', {
  name: text('Its name, as `suggest` accepts it.', 'DeepL'),
  kind: like(z.enum(MACHINE_KINDS), 'deepl'),
  languages: like(z.array(z.string()).nullable(), ['de', 'pl']).describe(
    'The languages that it translates into; `de` stands for `de-AT` too. Null for all.',
  ),
  spent: like(z.number().min(0), 12.5).describe(
    'What all organizations of this server spent this calendar month (UTC), requests under way included.',
  ),
  limit: like(z.number().nullable(), 50).describe('The most that it may spend in a month; null without a limit.'),
  unit: text('Of `spent` and `limit`: a currency, or `characters` of source texts.', 'USD', 'characters'),
})

/** Adds the route to a scope behind `identify`. */
export function machineRoutes(app: FastifyInstance, machines: MachineList): void {
  const schema = {
    tags: ['Machines'],
    operationId: 'getMachines',
    summary: 'The machine translators of this server',
    description: 'In the order of the file that the operator writes. Keys and addresses are not shown.',
    ...reading(component('Machines', { machines: z.array(MachineRow) }).describe('The machines.'), 'unavailable'),
  }
  const config = { permission: 'read', showsWithin: true } as const
  app.get('/api/machines', { schema, config }, async (request, reply) => {
    const [listed, spent] = await Promise.all([readMachines(request, machines), app.auth.spending.spent()])
    const rows = listed.map(machine => ({
      name: machine.name,
      kind: machine.kind,
      languages: machine.languages ?? null,
      spent: inUnit(machine, spent.get(meterOf(machine)) ?? 0),
      limit: machine.monthlyLimit ?? null,
      unit: unitOf(machine),
    }))
    sendJson(reply, { machines: rows })
  })
}

/** @throws Failure `not-found` */
export function machineNamed(machines: readonly Machine[], name: string): Machine {
  const machine = machines.find(one => one.name === name)
  if (machine) return machine
  if (machines.length === 0) throw machineFailure('not-found', { code: 'none' })
  const names = quoteSome(machines.map(machine => machine.name))
  throw new Failure('not-found', `This server has no machine ${quoteSome([name])}: it has ${names}.`)
}

/** @throws Failure `unavailable` for a bad file; only the log says what is wrong with it */
export async function readMachines(request: FastifyRequest, machines: MachineList): Promise<readonly Machine[]> {
  try {
    return await machines.read()
  } catch (err) {
    request.log.error({ reqId: request.id, err }, 'the list of machines cannot be read')
    throw machineFailure('unavailable', { code: 'list' }, { retryAfter: 60 })
  }
}
