/** `rollcall new --currency`: a first event file with prices in a currency other than rupees. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readEvent } from '../../../engine/authoring.ts'
import { createCommandFolder, type CommandFolder } from './cli.ts'
import { shared } from './shared-files.ts'

let folder: CommandFolder
beforeAll(() => {
  folder = createCommandFolder()
})
afterAll(() => folder.remove())

test('with --currency, prices are in that currency and delegates pay by bank transfer', async () => {
  const newResult = await folder.rollcall([
    'new',
    'heath2027',
    '--yes',
    '--currency',
    'EUR',
    '--categories',
    'Member = € 290 / 350.50; Student = 95',
  ])
  expect([newResult.status, newResult.stderr]).toEqual([0, ''])
  const event = readEvent(folder.read('events/heath2027.yaml'), shared)
  expect(event).toMatchObject({
    currency: 'EUR',
    fees: {
      tax: null,
      prices: {
        member: { early: 29_000, regular: 35_050 },
        student: { early: 9500, regular: 9500 },
      },
    },
    payment: null,
  })
  expect(event?.methods.map(({ is }) => is)).toEqual(['transfer', 'desk'])
  expect(folder.read('events/heath2027.yaml')).not.toMatch(/GST|₹/)
})

test.each([
  [['--currency', 'Euro'], '--currency must be an ISO 4217 code, not "Euro": write EUR.'],
  [['--currency', 'XXQ'], '--currency must be an ISO 4217 code, not "XXQ".'],
  [
    ['--currency', 'EUR', '--payment', 'airpay'],
    'Airpay accepts only rupees: leave out --payment, or write --currency INR.',
  ],
  [
    ['--currency', 'EUR', '--gst', 'inside'],
    '"inside" does not say which tax is charged, at which rate and how. Write VAT 19% inside the prices, VAT 19% on top of them, or none.',
  ],
])('%j is refused', async (options, message) => {
  const refusal = await folder.rollcall(['new', 'refused2027', '--yes', ...options])
  expect(refusal.status).toBe(2)
  expect(refusal.stderr).toContain(message)
  expect(existsSync(join(folder.folder, 'events/refused2027.yaml'))).toBe(false)
})

test('--currency INR writes the same file as no --currency', async () => {
  await folder.rollcall(['new', 'rupees2027', '--yes'])
  const text = folder.read('events/rupees2027.yaml')
  const resultWithOption = await folder.rollcall([
    'new',
    'rupees2027',
    '--yes',
    '--currency',
    'INR',
    '--out',
    'other',
  ])
  expect(resultWithOption.status).toBe(0)
  expect(folder.read('other/rupees2027.yaml')).toBe(text)
})
