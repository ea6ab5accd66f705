/** The fee grid: each period can have a first day, and the page states the dates on which registration is closed. */
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { closePeriod } from '../../../engine/authoring.ts'
import type { FeeTable } from '../../../engine/authoring.ts'
import { EMPTY_DRAFT } from '../../../web/organisers/new-conference/answers.ts'
import { FeeGrid } from '../../../web/organisers/new-conference/fee-grid.tsx'

const renderGrid = (fees: FeeTable): string =>
  renderToStaticMarkup(
    <FeeGrid fees={fees} problems={[]} onChange={() => {}} onMoveRow={() => {}} />,
  )

test('each period has a field for its first day, so that organisers can enter a gap or the opening date', () => {
  const html = renderGrid(EMPTY_DRAFT.fees)
  expect(html.match(/First day of [^"]*/g)).toEqual([
    'First day of Early Bird',
    'First day of Regular',
  ])
})

test('each date is also shown in words, because some browsers show the month first', () => {
  const [firstColumn] = EMPTY_DRAFT.fees.columns
  const columns = [{ label: firstColumn?.label ?? '', from: '2026-07-12', to: '2026-12-31' }]
  const html = renderGrid({ ...EMPTY_DRAFT.fees, columns })
  expect(html.match(/\d+ [A-Z]\w+ 2026/g)).toEqual(['12 July 2026', '31 December 2026'])
})

test('an empty name field shows the period’s default name', () => {
  const columns = ['2027-01-10', ''].map((to) => ({ label: '', from: '', to }))
  const html = renderGrid({ ...EMPTY_DRAFT.fees, columns })
  expect(html.match(/(?<=placeholder=")[^"]+/g)).toEqual(['Early Bird', 'Regular'])
})

test('the page states the dates on which registration is closed', () => {
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
