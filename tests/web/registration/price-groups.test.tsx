/** Categories with their own dates: the fee table of the form, the plain page and the organisers' preview. */
import { renderToStaticMarkup } from 'react-dom/server'
import { afterAll, expect, test, vi } from 'vitest'
import { day, EMPTY_CONTEXT, normalise, quote, type EventConfig } from '../../../engine/index.ts'
import { buildTariff } from '../../../engine/api.ts'
import { renderScriptNotice } from '../../../server/pages/html-shell.ts'
import { FeeTable, PriceUntil } from '../../../web/registration/price/fee-table.tsx'
import { PriceNote, listPriceDetails } from '../../../web/registration/fields/radio-choices.tsx'
import { Fees } from '../../../web/registration/price/fees-and-notes.tsx'
import { checkEventFile } from '../../../web/organisers/editor/check-event-file.ts'
import { PricePreview } from '../../../web/organisers/preview/price-preview.tsx'
import ResultsPreview from '../../../web/organisers/preview/result-page-and-email-preview.tsx'
import { sampleFileWithPriceGroup, shared } from '../../engine/authoring/goldens.ts'
import { toNoon } from '../../server/office/office.ts'
import { buildFixtureEvent } from '../../server/small-event.ts'

const text = sampleFileWithPriceGroup.replace(
  'details: [reg_no, total]',
  'details: [reg_no, period, total]',
)
const request = {
  number: 1,
  path: 'sample2026.yaml',
  text,
  shared,
  otherRoutes: [],
  published: null,
}
const checkResult = checkEventFile(request)
const event = checkResult.event as EventConfig
const findLine = (part: string): number => text.slice(0, text.indexOf(part)).split('\n').length

/** Returns the caption and the cells of each table, one line per row. */
const listTables = (html: string): readonly string[] =>
  (html.replaceAll('\u00a0', ' ').match(/<table[^]*?<\/table>/g) ?? []).map((table) =>
    table
      .replaceAll(/<small[^]*?<\/small>/g, '')
      .replaceAll(/<\/(caption|tr)>/g, '\n')
      .replaceAll(/<\/t[hd]>/g, ' | ')
      .replaceAll(/<[^>]*>/g, '')
      .trim(),
  )

const MEMBERS = ['Category | Until 31 Jan 2026 | From 1 Feb 2026 |', 'Member | ₹ 1,000 | ₹ 1,500 |']
const VISITORS = [
  'Visitors',
  'Category | Until 10 Jan 2026 | From 11 Jan 2026 | From 21 Feb 2026 |',
  'Visitor | ₹ 2,000 | ₹ 2,500 | ₹ 3,000 |',
]
const trimLines = (table: string | undefined) => table?.split('\n').map((row) => row.trim())

test('the form’s fee table shows the dates of each group', () => {
  const html = renderToStaticMarkup(
    <FeeTable event={event} category={null} answers={{}} now="2026-01-05T12:00:00+05:30" />,
  )
  expect(listTables(html).map(trimLines)).toEqual([MEMBERS, VISITORS])
})

test('the form states a separate last day for the fees of each group', () => {
  const firstTariff = buildTariff(event, toNoon('2026-01-05'))
  const lastTariff = buildTariff(event, toNoon('2026-02-22'))
  const renderNote = (tariff: typeof firstTariff) =>
    renderToStaticMarkup(<PriceNote event={event} tariff={tariff} />)
  expect(renderNote(firstTariff)).toContain('>Fees, exclusive of 18% GST.<')
  const dates = ['member', 'visitor'].map((id) => listPriceDetails(event, firstTariff).get(id))
  expect(dates).toEqual(['until 31 January 2026', 'until 10 January 2026'])
  // A page without the fee table shows these fees, which the server renders.
  const html = renderToStaticMarkup(
    <Fees event={event} tariff={firstTariff} quote={null} answers={{}} />,
  )
  expect(html).toContain('Member, until 31 January 2026')
  expect(html).toContain('Visitor, until 10 January 2026')
  expect(html).not.toContain('Fees until')
  // The last prices of both groups end with registration: one day applies to all.
  expect(renderNote(lastTariff)).toContain('Fees')
  expect(listPriceDetails(event, lastTariff).get('visitor')).toBe('')
})

/** Renders the note next to the price as it is shown on 5 January. */
function renderPriceUntil(shownEvent: EventConfig, isMember: boolean): string {
  const { answers } = normalise(shownEvent, { is_member: isMember })
  const quoteResult = quote(shownEvent, answers, toNoon('2026-01-05'))
  if (!quoteResult.ok) throw new Error(quoteResult.error.code)
  const now = '2026-01-05T12:00:00+05:30'
  const html = renderToStaticMarkup(
    <PriceUntil event={shownEvent} answers={answers} quote={quoteResult.value} now={now} />,
  )
  return html.replaceAll('\u00a0', ' ')
}

test.each([
  [true, 'Price valid until 31 Jan 2026; then ₹ 1,770 from 1 Feb 2026'],
  [false, 'Price valid until 10 Jan 2026; then ₹ 2,950 from 11 Jan 2026'],
])(
  'the note next to the price states the last day of the delegate’s group (member: %s)',
  (isMember, note) => {
    expect(renderPriceUntil(event, isMember)).toContain(note)
  },
)

test('the note next to the price states when registration closes and when it opens again', () => {
  const pausedText = buildFixtureEvent().replace('late, from: 2026-02-01', 'late, from: 2026-02-05')
  const { event: pausedEvent } = checkEventFile({ ...request, text: pausedText })
  if (pausedEvent === null) throw new Error('the file has errors')
  expect(renderPriceUntil(pausedEvent, true)).toContain(
    'Price valid until 31 Jan 2026; then registration is closed. It opens again on 5 Feb 2026',
  )
})

test('the page without JavaScript shows the dates of each group', () => {
  expect(listTables(renderScriptNotice(event)).map(trimLines)).toEqual([
    ['| until 31 January 2026 | from 1 February 2026 |', 'Member | ₹ 1,000 | ₹ 1,500 |'],
    [
      'Visitors',
      '| until 10 January 2026 | 11 January – 20 February 2026 | from 21 February 2026 |',
      'Visitor | ₹ 2,000 | ₹ 2,500 | ₹ 3,000 |',
    ],
  ])
})

const testDelegate = {
  day: day('2026-01-20'),
  answers: { is_member: false },
  context: EMPTY_CONTEXT,
}

test('the price preview marks the cell in the group’s table and links to its line in the file', () => {
  expect(checkResult.lines.prices['visitor']?.['standard']).toBe(findLine('visitor: [2000, 2500'))
  const html = renderToStaticMarkup(
    <PricePreview
      title="Price"
      event={event}
      testDelegate={testDelegate}
      lines={checkResult.lines}
      extremeBills={[]}
      goTo={() => {}}
    />,
  )
  expect(listTables(html).map(trimLines)).toEqual([
    ['Category | Early | Late |', 'Member | ₹ 1,180 | ₹ 1,770 |'],
    [
      'Visitors',
      'Category | Until Christmas | Standard | Last weeks |',
      'Visitor | ₹ 2,360 | ₹ 2,950 | ₹ 3,540 |',
    ],
  ])
  expect(html).toMatch(/<td data-head="Standard" class="on"[^>]*><button[^>]*>₹\s2,950/)
})

vi.stubGlobal('location', new URL('https://sample.example/organisers'))
afterAll(() => vi.unstubAllGlobals())

test('the preview of the result page shows the period of the delegate’s group', () => {
  const html = renderToStaticMarkup(<ResultsPreview event={event} testDelegate={testDelegate} />)
  expect(html).toContain('Standard')
  expect(html).not.toContain('Early')
})
