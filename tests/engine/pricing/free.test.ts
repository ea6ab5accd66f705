/** Every page, document and command shows `free` in the price table as “on sale at no cost”. */
import { expect, test } from 'vitest'
import {
  INR,
  getButtonText,
  day,
  quote,
  startOfDay,
  type EventConfig,
} from '../../../engine/index.ts'
import { buildTariff } from '../../../engine/api.ts'
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
  formatDiff,
  formatExplanation,
  formatSimulation,
  showEvent,
  simulatePrices,
} from '../../../engine/authoring.ts'
import { buildFixtureEvent } from '../../server/small-event.ts'
import { sharedFiles } from '../event-files.ts'

const EXAMPLES = /\nexamples:[\s\S]*$/
const DOCUMENTS = `
  receipt:
    file: "{reg_no}.txt"
    text: "{base} and {gst} make {total}, settled on {payment_date}"
`
const createFileWithCell = (cell: string): string =>
  buildFixtureEvent({
    extra: `    You pay {total}.\n`,
  })
    .replace('[1000, 2000]', `[${cell}, 2000]`)
    .replace('\nemail:', `${DOCUMENTS}\nemail:`)
    .replace('details: [reg_no, full_name, total]', 'details: [base, gst, total, payment_date]')
    .replace('total: 1180', 'base: 0, gst: 0, total: 0')
const compile = (source: string) => compileEvent(source, sharedFiles, { path: 'sample2026.yaml' })
const { event: compiled, findings } = compile(createFileWithCell('free'))
const event = compiled as EventConfig
const quoteTime = startOfDay(day('2026-01-10'))
const replaceNoBreakSpaces = (text: string): string => text.replaceAll('\u00a0', ' ')

test('a price of `free` is not reported', () => {
  expect(findings.map(({ code }) => code)).toEqual(['EV902'])
})

test.each([
  ['0', 'EV413', 'write `free` if it costs nothing, or `none` if it is not on sale in that period'],
  ['Free', 'EV103', 'write `free`'],
  ['FREE', 'EV103', 'write `free`'],
  ['"free "', 'EV103', 'write `free`'],
  [
    'nil',
    'EV103',
    'write `free` if it costs nothing, or `none` if it is not on sale in that period',
  ],
])('%s in a cell is reported with the correct spelling', (cell, code, help) => {
  const codeFinding = compile(createFileWithCell(cell)).findings.find(
    (finding) => finding.code === code,
  )
  expect([codeFinding?.help, codeFinding?.at.keyPath]).toEqual([help, 'fees.prices.member.0'])
})

test('a price of 0 means “not on sale”', () => {
  const eventWithZero = compile(createFileWithCell('0').replace(EXAMPLES, '\n')).event
  expect(eventWithZero?.fees.prices?.['member']).toEqual({ early: null, late: 200_000 })
})

test('the price of a free category is zero in the quote and in the tariff', () => {
  expect(quote(event, { is_member: true }, quoteTime)).toMatchObject({
    ok: true,
    value: { category: 'member', period: 'early', base: 0, gst: 0, total: 0 },
  })
  const tariff = buildTariff(event, quoteTime)
  expect([tariff.tariff_data['member']?.['early'], tariff.pricing['member']]).toEqual([
    { price: 0 },
    { base: 0, gst: 0, total: 0 },
  ])
})

const view: RegistrationView = {
  regNo: 'SMPL0000000000000',
  answers: { full_name: 'Asha Nair', email: 'asha@example.org', is_member: true },
  category: 'member',
  period: 'early',
  base: 0 as RegistrationView['base'],
  gst: 0 as RegistrationView['gst'],
  total: 0 as RegistrationView['total'],
  currency: INR,
  lines: [],
  paymentStatus: 'success',
  inReview: false,
  paymentId: null,
  paidAt: null,
  createdAt: quoteTime,
}
const eventWithPrice: EventConfig = compile(createFileWithCell('500').replace(EXAMPLES, '\n'))
  .event as EventConfig

test.each<[string, () => string, readonly string[]]>([
  [
    'the result page',
    () => JSON.stringify(buildResultRows(event, 'success', view, {}).map(({ value }) => value)),
    ['["Free","₹ 0","Free","10 January 2026"]'],
  ],
  [
    'the receipt',
    () => buildReceiptFile(event, view)?.text ?? '',
    ['Free and ₹ 0 make Free, settled on 10 January 2026'],
  ],
  ['the email', () => buildConfirmationEmail(event, view)?.text ?? '', ['You pay Free.']],
  ['simulate', () => formatSimulation(event, simulatePrices(event)), ['Free', '₹ 2,360']],
  [
    'explain, without tax on a price of zero',
    () => formatExplanation(event, explainPrice(event, { is_member: 'true' }, quoteTime)),
    ['price     Free  fees.prices.member, column 1, early\ntotal     Free'],
  ],
  ['show', () => showEvent(event), ['free']],
  [
    'the preview, whose button does not lead to a payment',
    () =>
      renderPreview(event)
        .map(({ html }) => html)
        .join('\n'),
    ['<td>Free</td>', '<dd>Free</dd>', '<p class="button">Register</p>'],
  ],
  ['diff', () => formatDiff(diffEvents(event, eventWithPrice)), ['member  Free → ₹ 590  ▲ ₹ 590']],
])('a free price is shown in %s', (_place, produce, expected) => {
  const output = replaceNoBreakSpaces(produce())
  for (const phrase of expected) expect(output).toContain(phrase)
})

test('the button of a free event does not mention payment', () => {
  const customButton = 'summary:\n    button: Send it\n'
  const freeFile = createFileWithCell('free')
    .replace('{gateway: airpay, account: sample}', 'none')
    .replace('[free, 2000]', '[free, free]')
    .replace('[3000, 4000]', '[free, free]')
  const buttons = [
    createFileWithCell('free'),
    freeFile,
    freeFile.replace('summary:\n', customButton),
  ].map((source) => {
    const compiledEvent = compile(source).event as EventConfig
    return [getButtonText(compiledEvent, null), getButtonText(compiledEvent, view.total)]
  })
  expect(buttons).toEqual([
    ['Proceed to Secure Payment', 'Register'],
    ['Register', 'Register'],
    ['Send it', 'Send it'],
  ])
})

test('the file that `event show` prints compiles to the same event', () => {
  expect(compile(showEvent(event)).event).toEqual(event)
})
