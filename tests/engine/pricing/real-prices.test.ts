/** Prices and receipts of the four real event files match the stored tables (UPDATE=1 rewrites them). */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { INR, createDocument, instant, buildIssuer, startOfDay } from '../../../engine/index.ts'
import type { EventConfig, Line, Amount, RegNo } from '../../../engine/index.ts'
import { calculateBill } from '../../../engine/pricing/bill.ts'
import { compileEvent, formatSimulation, simulatePrices } from '../../../engine/authoring.ts'
import { formatDocument } from '../../../server/documents/document-contents.ts'
import { sharedFiles, readSource } from '../event-files.ts'

const EVENT_IDS = ['afpicon2026', 'chirurgia2026', 'midzone2025', 'pulmocon2025']

/** Returns the text of the receipt for one registration. */
function formatReceipt(event: EventConfig, lines: readonly Line[]): string {
  const eventStart = instant(startOfDay(event.from))
  const sumTotals = (part: 'base' | 'gst' | 'total') =>
    lines.reduce((sumSoFar, line) => sumSoFar + line[part], 0) as Amount
  const registration = {
    regNo: 'MADE0000000001' as RegNo,
    answers: {},
    fullName: 'Asha Sample',
    email: 'made.up@example.org',
    amount: sumTotals('total'),
    currency: INR,
    base: sumTotals('base'),
    gst: sumTotals('gst'),
    lines,
    paid: { reference: 'REF', at: eventStart, receivedAmount: sumTotals('total') },
  }
  const body = createDocument(buildIssuer(event), registration, {
    kind: 'receipt',
    serial: 'A1',
    at: eventStart,
  })
  const { rows, sums, total, in_words: amountInWords } = formatDocument(body)
  return [
    ...rows.map((row) => row.join(' | ')),
    ...[...sums, total].map((sumRow) => sumRow.join(' ')),
    amountInWords,
  ]
    .join('; ')
    .replaceAll('\u00a0', ' ')
}

test.each(EVENT_IDS)('%s: prices and receipts match the table', async (id) => {
  const path = `events/${id}.yaml`
  const { event } = compileEvent(readSource(path).text, sharedFiles, { path })
  if (event === null) throw new Error(`${id} does not compile`)
  const receipts = event.categories.flatMap((category) =>
    event.fees.periods.flatMap((period) => {
      const priceDay = period.from ?? period.to ?? event.from
      const lines = calculateBill(event, {}, category.id, period.id, priceDay)
      return lines.ok && lines.value.length > 0
        ? [`${category.id}, ${period.id}: ${formatReceipt(event, lines.value)}`]
        : [`${category.id}, ${period.id}: not on sale`]
    }),
  )
  const simulationText = formatSimulation(event, simulatePrices(event)).replaceAll('\u00a0', ' ')
  const table = `${simulationText}\n\nReceipts\n${receipts.join('\n')}\n`
  await expect(table).toMatchFileSnapshot(join(import.meta.dirname, 'real-prices', `${id}.txt`))
})
