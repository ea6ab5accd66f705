/** The email with transfer instructions, if it leaves the mail queue late. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RegisterResponse } from '../../../engine/api.ts'
import { signIn } from '../office/office.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'

const file = 'lekhacon2027.yaml'
const text = readFileSync(join(import.meta.dirname, '..', '..', 'events', file), 'utf8')

let server: TestApp
beforeAll(async () => {
  server = await startTestApp({ clock: '2027-01-10', events: { [file]: text } })
})
afterAll(() => server.close())

const register = async (): Promise<string> => {
  const response = await server.post('/api/lekhacon2027/register/', {
    full_name: 'Asha Nair',
    email: 'asha@delegate.example',
    phone_number: '9847000000',
    registered_as: 'member',
    way: 'transfer',
  })
  return response.json<RegisterResponse>().reg_no
}
const sendAndList = async (regNo: string) => {
  await server.mailer.run()
  return server.rows(
    `SELECT m.subject, m.status, m.error FROM mail_queue AS m
     JOIN registrations AS r ON r.id = m.registration_id WHERE r.reg_no = ? ORDER BY m.id`,
    regNo,
  )
}
const INSTRUCTIONS = 'How to pay for LEKHACON 2027'
const NOT_NEEDED = {
  subject: INSTRUCTIONS,
  status: 'failed',
  error: 'The email was no longer needed.',
}

test('a delegate whose transfer was recorded before the email was sent is not asked to pay', async () => {
  const regNo = await register()
  const office = await signIn(server)
  const confirmed = await office.act(regNo, {
    act: 'confirm',
    way: 'transfer',
    reference: '500000000901',
    amount: '4720',
    day: '2027-01-09',
  })
  expect(confirmed).toMatchObject({ status: 200, body: { state: 'complete' } })
  expect(await sendAndList(regNo)).toEqual([
    NOT_NEEDED,
    { subject: `LEKHACON 2027: ${regNo}`, status: 'sent', error: null },
  ])
})

test('a delegate whose registration was cancelled before the email was sent is not asked to pay', async () => {
  const regNo = await register()
  const office = await signIn(server)
  const cancelled = await office.act(regNo, { act: 'cancel', why: 'They asked.', pay_back: 0 })
  expect(cancelled, JSON.stringify(cancelled.body)).toMatchObject({ status: 200 })
  expect((await sendAndList(regNo))[0]).toEqual(NOT_NEEDED)
})

test('a delegate who has not paid is sent the instructions', async () => {
  expect(await sendAndList(await register())).toEqual([
    { subject: INSTRUCTIONS, status: 'sent', error: null },
  ])
})
