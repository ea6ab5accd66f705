/** Databases of before the keys of event files got their usual names: their versions are read, and their registrations are paid. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isoIndia } from '../../../engine/index.ts'
import type { EventConfig, Instant, OrderId } from '../../../engine/index.ts'
import type { PaymentData, RegisterAnswer, RegistrationAnswer } from '../../../engine/api.ts'
import { readEvent, renameKeys } from '../../../engine/authoring.ts'
import { parseSharedFiles } from '../../../server/events/versions/version-approval.ts'
import { PROOF } from '../../browser/delegate.ts'
import { openRig, type Rig } from '../payments/server-with-gateway.ts'

const OLD = join(import.meta.dirname, '../../engine/authoring/old-keys')
const textOf = (name: string): string => readFileSync(join(OLD, name), 'utf8')

type Open = {
  readonly eventId: string
  readonly regNo: string
  readonly on: Instant
  readonly order: PaymentData
}
let rig: Rig
const open: Open[] = []

beforeAll(async () => {
  rig = await openRig({ events: OLD, clock: '2025-08-01T12:00:00+05:30' })
  const events = rig
    .parts()
    .deps.events.all()
    .map(({ config }) => config)
  const first = events
    .filter(({ status, methods }) => status === 'open' && methods.length > 0)
    .map((config) => ({ config, example: exampleOf(config) }))
    .toSorted((a, b) => a.example.on - b.example.on)
  for (const { config, example } of first) {
    rig.at(isoIndia(example.on))
    const { payment_data: order, reg_no: regNo } = await register(config, example.answers)
    if (order === undefined) throw new Error(`${config.id} asks for no money`)
    open.push({ eventId: config.id, regNo, on: example.on, order })
  }
})
afterAll(() => rig.close())

/** The first example of the file that has a price and can be registered as it is. */
function exampleOf({ id, examples }: EventConfig) {
  const found = examples.find(
    (one) =>
      'answers' in one &&
      (one.expect.total ?? 0) > 0 &&
      one.expect.errors === undefined &&
      one.answers['member_number'] === undefined &&
      one.answers['code'] === undefined,
  )
  if (found === undefined || !('answers' in found)) throw new Error(`${id} has no such example`)
  return found
}

async function register(
  { api, fields }: EventConfig,
  given: Readonly<Record<string, unknown>>,
): Promise<RegisterAnswer> {
  const form = new FormData()
  for (const [name, value] of Object.entries(given))
    if (fields.find(({ id }) => id === name)?.type === 'file')
      form.append(name, new Blob([PROOF.buffer], { type: 'application/pdf' }), 'proof.pdf')
    else form.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
  const response = await fetch(`${rig.url}${api.register}`, { method: 'POST', body: form })
  const answer = (await response.json()) as RegisterAnswer
  expect([response.status, answer]).toEqual([201, expect.anything()])
  return answer
}

async function look({ eventId, regNo }: Open): Promise<RegistrationAnswer['registration']> {
  const path = rig.parts().deps.events.byId(eventId)?.config.api.registration ?? ''
  const response = await fetch(`${rig.url}${path.replace('{reg_no}', regNo)}`)
  return ((await response.json()) as RegistrationAnswer).registration
}

const versions = (): unknown[] =>
  rig.rows('SELECT hash, event_id, text FROM event_files ORDER BY hash')
const served = (): unknown[] =>
  rig
    .parts()
    .deps.events.all()
    .map(({ config, hash }) => [config.id, hash])

test('event files with the old names are served', () => {
  expect(served()).toHaveLength(readdirSync(OLD).length)
  // One of them is closed, and one is free.
  expect(open).toHaveLength(readdirSync(OLD).length - 2)
})

test('renaming keys only makes no new version', async () => {
  const [before, stored] = [served(), versions()]
  for (const name of readdirSync(OLD))
    writeFileSync(join(rig.eventsDir, name), renameKeys(textOf(name)))
  await rig.parts().deps.events.reload()
  expect(served()).toEqual(before)
  expect(rig.parts().deps.events.refusedFiles()).toEqual([])
  await rig.restart()
  expect(served()).toEqual(before)
  expect(rig.parts().deps.events.refusedFiles()).toEqual([])
  expect(versions()).toEqual(stored)
})

test('shows each open registration of an old version, and accepts its payment', async () => {
  for (const name of readdirSync(OLD))
    writeFileSync(
      join(rig.eventsDir, name),
      renameKeys(textOf(name)).replace(/^  venue: (.*)$/m, '  venue: The new hall, $1'),
    )
  await rig.restart()
  const now = new Map(
    rig
      .parts()
      .deps.events.all()
      .map(({ config, hash }) => [config.id, hash]),
  )
  for (const one of open) {
    const [row] = rig.rows(
      'SELECT r.event_hash, f.text, f.shared FROM registrations r JOIN event_files f ON f.hash = r.event_hash WHERE r.reg_no = ?',
      one.regNo,
    )
    expect(row?.['event_hash']).not.toBe(now.get(one.eventId))
    expect(row?.['text']).toBe(textOf(`${one.eventId}.yaml`))
    expect(readEvent(String(row?.['text']), parseSharedFiles(String(row?.['shared'])))?.id).toBe(
      one.eventId,
    )
    expect(await look(one)).toMatchObject({ reg_no: one.regNo, payment_status: 'pending' })
  }
  for (const one of open) {
    const orderId = one.order.orderid as OrderId
    // A hand-off counts on its day only.
    rig.at(isoIndia(one.on))
    const handedOver = await rig.handOff(one.order)
    expect([one.eventId, handedOver.status]).toEqual([one.eventId, 303])
    await rig.sandbox().runAction(orderId, 'pay')
    await rig.settled()
    expect(rig.holds(orderId)).toMatchObject({ status: 'success', registration: 'success' })
    expect(await look(one)).toMatchObject({ payment_status: 'success' })
  }
})
