/**
 * The four real event files price and print as in the tables next to this file, to the paisa.
 * UPDATE=1 rewrites the tables.
 */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createDocument, instant, buildIssuer, startOfDay } from '../../../engine/index.ts'
import type { EventConfig, Line, Paise, RegNo } from '../../../engine/index.ts'
import { calculateBill } from '../../../engine/pricing/bill.ts'
import { compileEvent, formatSimulation, simulate } from '../../../engine/authoring.ts'
import { formatDocument } from '../../../server/documents/document-contents.ts'
import { sharedFiles, readSource } from '../event-files.ts'

const REAL = ['afpicon2026', 'chirurgia2026', 'midzone2025', 'pulmocon2025']

/** The text that a receipt prints for one registration. */
function printReceipt(event: EventConfig, lines: readonly Line[]): string {
  const at = instant(startOfDay(event.from))
  const sum = (part: 'base' | 'gst' | 'total') =>
    lines.reduce((sumSoFar, line) => sumSoFar + line[part], 0) as Paise
  const registration = {
    regNo: 'MADE0000000001' as RegNo,
    answers: {},
    fullName: 'Asha Sample',
    email: 'made.up@example.org',
    amount: sum('total'),
    base: sum('base'),
    gst: sum('gst'),
    lines,
    paid: { reference: 'REF', at, came: sum('total') },
  }
  const body = createDocument(buildIssuer(event), registration, {
    kind: 'receipt',
    serial: 'A1',
    at,
  })
  const { rows, sums, total, in_words: words } = formatDocument(body)
  return [
    ...rows.map((row) => row.join(' | ')),
    ...[...sums, total].map((one) => one.join(' ')),
    words,
  ]
    .join('; ')
    .replaceAll('\u00a0', ' ')
}

test.each(REAL)('%s prices and prints as before', async (id) => {
  const path = `events/${id}.yaml`
  const { event } = compileEvent(readSource(path).text, sharedFiles, { path })
  if (event === null) throw new Error(`${id} does not compile`)
  const receipts = event.categories.flatMap((category) =>
    event.fees.periods.flatMap((period) => {
      const on = period.from ?? period.to ?? event.from
      const lines = calculateBill(event, {}, category.id, period.id, on)
      return lines.ok && lines.value.length > 0
        ? [`${category.id}, ${period.id}: ${printReceipt(event, lines.value)}`]
        : [`${category.id}, ${period.id}: not on sale`]
    }),
  )
  const simulated = formatSimulation(event, simulate(event)).replaceAll('\u00a0', ' ')
  const table = `${simulated}\n\nReceipts\n${receipts.join('\n')}\n`
  await expect(table).toMatchFileSnapshot(join(import.meta.dirname, 'real-prices', `${id}.txt`))
})
