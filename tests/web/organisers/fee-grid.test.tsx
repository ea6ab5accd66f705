/** The fee grid: each period can have a first day, and the page states the days without registration. */
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { closePeriod } from '../../../engine/authoring.ts'
import type { FeeTable } from '../../../engine/authoring.ts'
import { EMPTY_DRAFT } from '../../../web/organisers/new-conference/answers.ts'
import { FeeGrid } from '../../../web/organisers/new-conference/fee-grid.tsx'

const renderGrid = (fees: FeeTable): string =>
  renderToStaticMarkup(<FeeGrid fees={fees} problems={[]} change={() => {}} move={() => {}} />)

test('organisers could not enter a gap or the opening day: each period has a field for its first day', () => {
  const html = renderGrid(EMPTY_DRAFT.fees)
  expect(html.match(/First day of [^"]*/g)).toEqual([
    'First day of Early Bird',
    'First day of Regular',
  ])
})

test('an organiser typed 7 December as 12 July, because the browser shows the month first: each day is also shown in words', () => {
  const [firstColumn] = EMPTY_DRAFT.fees.columns
  const columns = [{ label: firstColumn?.label ?? '', from: '2026-07-12', to: '2026-12-31' }]
  const html = renderGrid({ ...EMPTY_DRAFT.fees, columns })
  expect(html.match(/\d+ [A-Z]\w+ 2026/g)).toEqual(['12 July 2026', '31 December 2026'])
})

test('a message about “Regular” was shown at a period whose name was empty: the field shows the name that it will get', () => {
  const columns = ['2027-01-10', ''].map((to) => ({ label: '', from: '', to }))
  const html = renderGrid({ ...EMPTY_DRAFT.fees, columns })
  expect(html.match(/(?<=placeholder=")[^"]+/g)).toEqual(['Early Bird', 'Regular'])
})

test('the page states the days on which registration is closed', () => {
  const fees: FeeTable = {
    columns: [
      { label: 'Early', from: '', to: '2027-01-10' },
      { label: 'Closed', from: '', to: '2027-01-24' },
      { label: 'Regular', from: '', to: '' },
    ],
    rows: [{ label: 'Member', cells: ['4000', '–', '5000'] }],
    notes: [],
  }
  const sentence = 'Registration is closed on 11–24 January 2027, before “Regular” begins.'
  expect(renderGrid(fees)).not.toContain(sentence)
  expect(renderGrid(closePeriod(fees, 1))).toContain(sentence)
})
