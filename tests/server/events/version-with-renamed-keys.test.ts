/** Stored event versions with old keys can be read, and their registrations can be paid for. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formatIsoIndia } from '../../../engine/index.ts'
import type { EventConfig, Instant, OrderId } from '../../../engine/index.ts'
import type { PaymentData, RegisterResponse, RegistrationResponse } from '../../../engine/api.ts'
import { readEvent, renameKeys } from '../../../engine/authoring.ts'
import { parseSharedFiles } from '../../../server/events/versions/version-approval.ts'
import { PROOF_FILE } from '../../browser/delegate.ts'
import { openTestServer, type TestServer } from '../payments/server-with-gateway.ts'

const OLD_FILES = join(import.meta.dirname, '../../engine/authoring/old-keys')
const readText = (name: string): string => readFileSync(join(OLD_FILES, name), 'utf8')

type OpenRegistration = {
  readonly eventId: string
  readonly regNo: string
  readonly registeredAt: Instant
  readonly order: PaymentData
}
let testServer: TestServer
const openRegistrations: OpenRegistration[] = []

beforeAll(async () => {
  testServer = await openTestServer({ events: OLD_FILES, clock: '2025-08-01T12:00:00+05:30' })
  const events = testServer
    .parts()
    .deps.events.all()
    .map(({ config }) => config)
  const payableEvents = events
    .filter(({ status, methods }) => status === 'open' && methods.length > 0)
    .map((config) => ({ config, example: findExample(config) }))
    .toSorted((a, b) => a.example.on - b.example.on)
  for (const { config, example } of payableEvents) {
    testServer.setTime(formatIsoIndia(example.on))
    const { payment_data: order, reg_no: regNo } = await register(config, example.answers)
    if (order === undefined) throw new Error(`${config.id} has no payment`)
    openRegistrations.push({ eventId: config.id, regNo, registeredAt: example.on, order })
  }
})
afterAll(() => testServer.close())

/** Returns the file's first example that has a price and can be registered unchanged. */
function findExample({ id, examples }: EventConfig) {
  const example = examples.find(
    (example) =>
      'answers' in example &&
      (example.expect.total ?? 0) > 0 &&
      example.expect.errors === undefined &&
      example.answers['member_number'] === undefined &&
      example.answers['code'] === undefined,
  )
  if (example === undefined || !('answers' in example)) throw new Error(`${id} has no such example`)
  return example
}

async function register(
  { api, fields }: EventConfig,
  answers: Readonly<Record<string, unknown>>,
): Promise<RegisterResponse> {
  const form = new FormData()
  for (const [name, value] of Object.entries(answers))
    if (fields.find(({ id }) => id === name)?.type === 'file')
      form.append(name, new Blob([PROOF_FILE.buffer], { type: 'application/pdf' }), 'proof.pdf')
    else form.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
  const response = await fetch(`${testServer.url}${api.register}`, { method: 'POST', body: form })
  const registered = (await response.json()) as RegisterResponse
  expect([response.status, registered]).toEqual([201, expect.anything()])
  return registered
}

async function readRegistration({
  eventId,
  regNo,
}: OpenRegistration): Promise<RegistrationResponse['registration']> {
  const path = testServer.parts().deps.events.findById(eventId)?.config.api.registration ?? ''
  const response = await fetch(`${testServer.url}${path.replace('{reg_no}', regNo)}`)
  return ((await response.json()) as RegistrationResponse).registration
}

const readVersions = (): unknown[] =>
  testServer.rows('SELECT hash, event_id, text FROM event_files ORDER BY hash')
const readServedVersions = (): unknown[] =>
  testServer
    .parts()
    .deps.events.all()
    .map(({ config, hash }) => [config.id, hash])

test('event files with the old keys are served', () => {
  expect(readServedVersions()).toHaveLength(readdirSync(OLD_FILES).length)
  // One event is closed, and one is free.
  expect(openRegistrations).toHaveLength(readdirSync(OLD_FILES).length - 2)
})

test('renaming keys alone does not create a new version', async () => {
  const [servedBefore, versionsBefore] = [readServedVersions(), readVersions()]
  for (const name of readdirSync(OLD_FILES))
    writeFileSync(join(testServer.eventsDir, name), renameKeys(readText(name)))
  await testServer.parts().deps.events.reload()
  expect(readServedVersions()).toEqual(servedBefore)
  expect(testServer.parts().deps.events.refusedFiles()).toEqual([])
  await testServer.restart()
  expect(readServedVersions()).toEqual(servedBefore)
  expect(testServer.parts().deps.events.refusedFiles()).toEqual([])
  expect(readVersions()).toEqual(versionsBefore)
})

test('each open registration from an old version is shown, and its payment is accepted', async () => {
  for (const name of readdirSync(OLD_FILES))
    writeFileSync(
      join(testServer.eventsDir, name),
      renameKeys(readText(name)).replace(/^  venue: (.*)$/m, '  venue: The new hall, $1'),
    )
  await testServer.restart()
  const currentHashByEventId = new Map(
    testServer
      .parts()
      .deps.events.all()
      .map(({ config, hash }) => [config.id, hash]),
  )
  for (const registration of openRegistrations) {
    const [row] = testServer.rows(
      'SELECT r.event_hash, f.text, f.shared FROM registrations r JOIN event_files f ON f.hash = r.event_hash WHERE r.reg_no = ?',
      registration.regNo,
    )
    expect(row?.['event_hash']).not.toBe(currentHashByEventId.get(registration.eventId))
    expect(row?.['text']).toBe(readText(`${registration.eventId}.yaml`))
    expect(readEvent(String(row?.['text']), parseSharedFiles(String(row?.['shared'])))?.id).toBe(
      registration.eventId,
    )
    expect(await readRegistration(registration)).toMatchObject({
      reg_no: registration.regNo,
      payment_status: 'pending',
    })
  }
  for (const registration of openRegistrations) {
    const orderId = registration.order.orderid as OrderId
    // The gateway accepts a payment request only on the date of the request.
    testServer.setTime(formatIsoIndia(registration.registeredAt))
    const handOffResponse = await testServer.handOff(registration.order)
    expect([registration.eventId, handOffResponse.status]).toEqual([registration.eventId, 303])
    await testServer.sandbox().runAction(orderId, 'pay')
    await testServer.waitUntilIdle()
    expect(testServer.readOrderState(orderId)).toMatchObject({
      status: 'success',
      registration: 'success',
    })
    expect(await readRegistration(registration)).toMatchObject({ payment_status: 'success' })
  }
})
