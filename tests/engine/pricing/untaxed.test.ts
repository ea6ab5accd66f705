/** An event without tax: nothing that anybody reads of it speaks of one. */
import { expect, test } from 'vitest'
import {
  day,
  labelOf,
  priceParts,
  quoteFor,
  startOf,
  type EventConfig,
} from '../../../engine/index.ts'
import { mailFor, receipt, resultRows, type RegistrationView } from '../../../engine/messages.ts'
import {
  compileEvent,
  diffEvents,
  explain,
  preview,
  sayExplanation,
  saySimulation,
  showEvent,
  simulate,
} from '../../../engine/authoring.ts'
import { ours, read } from '../event-files.ts'

const TAX = /gst|\btax/i

/** The first event of the specification, copied by somebody who charges no tax and took only its line away. */
const text = read('events/afpicon2026.yaml')
  .text.replace(/ {2}tax: .*\n/, '')
  .replace('      - Fees are exclusive of 18% GST\n', '')
  .replace('      GST (18%): {gst}\n', '')
  .replace(' (including GST {gst})', '')
  .replace('    gst_amount: gst\n', '')
  .replace(/\nexamples:[\s\S]*$/, '\n')
const { event: compiled, findings } = compileEvent(text, ours, { path: 'events/afpicon2026.yaml' })
const event = compiled as EventConfig

test('every place that still asks for the tax is named, and the file is served without it', () => {
  expect(compiled).not.toBeNull()
  const named = findings.filter(({ code }) => code === 'EV442').map(({ at }) => at.keyPath)
  expect(named).toEqual([
    'form.summary.lines.1',
    'results.success.details.6',
    'admin.lists.0.columns.14',
    'admin.lists.1.columns.8',
  ])
})

test('the total is the price, and all there is to show', () => {
  expect(quoteFor(event, 'afpi-pg', 'sep-1-dec-31')).toEqual({
    base: 525_000,
    gst: 0,
    total: 525_000,
  })
  expect(priceParts(event)).toEqual(['total'])
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
  lines: [],
  paymentStatus: 'success',
  inReview: false,
  paymentId: 'G1',
  paidAt: startOf(day('2025-10-10')),
  createdAt: startOf(day('2025-10-10')),
}

test.each<[string, () => unknown]>([
  ['the summary of the form', () => event.form.summary.lines.map((line) => labelOf(event, line))],
  ['the result pages', () => [resultRows(event, 'success', view, {}), event.results]],
  ['the receipt', () => receipt(event, view)],
  ['the mail', () => mailFor(event, view)],
  ['the columns of the office and its CSV', () => event.admin.lists.map(({ columns }) => columns)],
  [
    'the list of an event that states none',
    () => {
      const alone = compileEvent(
        text.replace(/\nadmin:[\s\S]*?\n\n# ── Accepted/, '\n# ── Accepted'),
        ours,
        {
          path: 'events/afpicon2026.yaml',
        },
      ).event
      expect(alone?.admin.lists[0]?.columns.map(({ id }) => id)).toContain('total')
      return alone?.admin.lists
    },
  ],
  ['simulate', () => saySimulation(event, simulate(event))],
  ['show', () => showEvent(event)],
  ['preview', () => preview(event)],
  [
    'explain',
    () =>
      sayExplanation(
        event,
        explain(event, { ticket_type: 'afpi-pg' }, startOf(day('2025-10-10'))),
        () => null,
      ),
  ],
])('%s', (_place, make) => {
  const said = typeof make() === 'string' ? String(make()) : JSON.stringify(make())
  expect(said.length).toBeGreaterThan(20)
  expect(said.match(TAX)?.[0] ?? null).toBeNull()
})

test('leaving the tax out is a change of every price that diff shows', () => {
  const before = compileEvent(read('events/afpicon2026.yaml').text, ours, {
    path: 'events/afpicon2026.yaml',
  }).event as EventConfig
  expect(diffEvents(before, event).prices.length).toBeGreaterThan(5)
})
