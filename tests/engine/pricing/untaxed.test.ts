/** If an event has no tax, none of its texts mentions a tax. */
import { expect, test } from 'vitest'
import {
  INR,
  day,
  getLabel,
  listPriceParts,
  quoteCategory,
  startOfDay,
  type EventConfig,
} from '../../../engine/index.ts'
import {
  buildConfirmationEmail,
  buildReceiptFile,
  buildResultRows,
  type RegistrationView,
} from '../../../engine/messages.ts'
import {
  compileEvent,
  diffEvents,
  explainPrice,
  renderPreview,
  formatExplanation,
  formatSimulation,
  showEvent,
  simulatePrices,
} from '../../../engine/authoring.ts'
import { sharedFiles, readSource } from '../event-files.ts'

const TAX_WORDS = /gst|\btax/i

/** AFPICON without its tax line and without some of the texts about the tax. */
const text = readSource('events/afpicon2026.yaml')
  .text.replace(/ {2}tax: .*\n/, '')
  .replace('      - Fees are exclusive of 18% GST\n', '')
  .replace('      GST (18%): {gst}\n', '')
  .replace(' (including GST {gst})', '')
  .replace('    gst_amount: gst\n', '')
  .replace(/\nexamples:[\s\S]*$/, '\n')
const { event: compiled, findings } = compileEvent(text, sharedFiles, {
  path: 'events/afpicon2026.yaml',
})
const event = compiled as EventConfig

test('every remaining mention of the tax is reported, and the event is served without tax', () => {
  expect(compiled).not.toBeNull()
  const reportedPaths = findings.filter(({ code }) => code === 'EV442').map(({ at }) => at.keyPath)
  expect(reportedPaths).toEqual([
    'form.summary.lines.1',
    'results.success.details.6',
    'admin.lists.0.columns.14',
    'admin.lists.1.columns.8',
  ])
})

test('the total is equal to the price, and is the only amount', () => {
  expect(quoteCategory(event, 'afpi-pg', 'sep-1-dec-31')).toEqual({
    base: 525_000,
    gst: 0,
    total: 525_000,
  })
  expect(listPriceParts(event)).toEqual(['total'])
  expect(event.form.summary.lines).toEqual(['base', 'total'])
})

const view: RegistrationView = {
  regNo: 'AFPI0000000000000',
  answers: { full_name: 'Asha Nair', email: 'asha@example.org', ticket_type: 'afpi-pg' },
  category: 'afpi-pg',
  period: 'sep-1-dec-31',
  base: 525_000 as RegistrationView['base'],
  gst: 0 as RegistrationView['gst'],
  total: 525_000 as RegistrationView['total'],
  currency: INR,
  lines: [],
  paymentStatus: 'success',
  inReview: false,
  paymentId: 'G1',
  paidAt: startOfDay(day('2025-10-10')),
  createdAt: startOfDay(day('2025-10-10')),
}

test.each<[string, () => unknown]>([
  ['the summary of the form', () => event.form.summary.lines.map((line) => getLabel(event, line))],
  ['the result pages', () => [buildResultRows(event, 'success', view, {}), event.results]],
  ['the receipt', () => buildReceiptFile(event, view)],
  ['the email', () => buildConfirmationEmail(event, view)],
  [
    'the columns of the staff list and its CSV',
    () => event.admin.lists.map(({ columns }) => columns),
  ],
  [
    'the staff list of an event that defines no list',
    () => {
      const eventWithoutLists = compileEvent(
        text.replace(/\nadmin:[\s\S]*?\n\n# ── Accepted/, '\n# ── Accepted'),
        sharedFiles,
        {
          path: 'events/afpicon2026.yaml',
        },
      ).event
      expect(eventWithoutLists?.admin.lists[0]?.columns.map(({ id }) => id)).toContain('total')
      return eventWithoutLists?.admin.lists
    },
  ],
  ['simulate', () => formatSimulation(event, simulatePrices(event))],
  ['show', () => showEvent(event)],
  ['preview', () => renderPreview(event)],
  [
    'explain',
    () =>
      formatExplanation(
        event,
        explainPrice(event, { ticket_type: 'afpi-pg' }, startOfDay(day('2025-10-10'))),
        () => null,
      ),
  ],
])('%s does not mention a tax', (_place, produce) => {
  const output = typeof produce() === 'string' ? String(produce()) : JSON.stringify(produce())
  expect(output.length).toBeGreaterThan(20)
  expect(output.match(TAX_WORDS)?.[0] ?? null).toBeNull()
})

test('diff shows a removed tax as a change to every price', () => {
  const taxedEvent = compileEvent(readSource('events/afpicon2026.yaml').text, sharedFiles, {
    path: 'events/afpicon2026.yaml',
  }).event as EventConfig
  expect(diffEvents(taxedEvent, event).prices.length).toBeGreaterThan(5)
})
