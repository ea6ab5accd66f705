/** What result pages say of money that went, came and went back, by what is known of it. */
import { renderToStaticMarkup } from 'react-dom/server'
import { MemoryRouter } from 'react-router-dom'
import { expect, test } from 'vitest'
import { readEvent } from '../../../engine/authoring.ts'
import { publicEvent } from '../../../engine/index.ts'
import { valuesOf } from '../../../engine/messages.ts'
import type { EventConfig, Failure } from '../../../engine/index.ts'
import { readRegistration } from '../../../web/app/api-responses.ts'
import { Failed } from '../../../web/results/unpaid/failed-payment-page.tsx'
import { Cancelled } from '../../../web/results/pending-refunded-cancelled-pages.tsx'
import type { Registration } from '../../../web/results/result-page-data.ts'
import { ours, read } from '../../engine/event-files.ts'

const file = read('events/afpicon2026.yaml')
const event = publicEvent(readEvent(file.text, ours, file) as EventConfig)
const at = '2026-01-12T09:00:00+05:30'
/** As a browser reads the call's answer. */
const registration = (answer: object): Registration => {
  const found = readRegistration({ reg_no: 'AFPI1', created_at: at, ...answer })
  if (found === null) throw new Error('no browser reads this answer')
  return found
}
const failed = (failedAs: Failure, status: 'open' | 'closed' = 'open'): string =>
  renderToStaticMarkup(
    <MemoryRouter>
      <Failed
        event={{ ...event, status }}
        registration={registration({ payment_status: 'failed', failed_as: failedAs })}
        query={{ orderId: null, amount: null, date: null }}
        now={at}
      />
    </MemoryRouter>,
  )

const DEDUCTED = 'No amount has been deducted'
const CAUSE = 'Insufficient funds'
test.each([
  ['declined', [DEDUCTED, CAUSE], ['refunded', 'Check that']],
  ['expired', ['Check that no amount was deducted', CAUSE], [DEDUCTED, 'refunded']],
  ['unclear', ['We could not confirm this payment', CAUSE], [DEDUCTED, 'refunded']],
  ['given-back', ['and refunded it'], [DEDUCTED, CAUSE, 'could not confirm', 'Check']],
] as const)('failed, %s: says what is known, and no cause that was none', (as, says, never) => {
  const page = failed(as)
  for (const part of says) expect(page).toContain(part)
  for (const part of never) expect(page).not.toContain(part)
})

test.each(['expired', 'unclear'] as const)(
  'failed, %s: told people to check "before you pay again" at a closed event, where nobody can',
  (as) => {
    expect(failed(as)).toContain('before you pay again')
    expect(failed(as, 'closed')).toContain('Check whether an amount was deducted.')
  },
)

test('a result page refused an answer with only the fields that the specification describes', () => {
  const answer = readRegistration({ reg_no: 'PULMO1', full_name: 'Asha Nair', final_amount: 3500 })
  expect(answer).toMatchObject({
    reg_no: 'PULMO1',
    order_id: 'PULMO1',
    payment_status: 'pending',
    may_pay: false,
  })
  // What it has under the event file's names is shown, and not N/A.
  const shown = { category: 'PG Students', total: '₹\u00a03,500' }
  const closed = read('events/pulmocon2025.yaml')
  const pulmocon = publicEvent(readEvent(closed.text, ours, closed) as EventConfig)
  const said = { ...answer, registration_category: 'pg-students' } as Registration
  expect(valuesOf(pulmocon, said)).toMatchObject(shown)
  // A time that nobody stated is unknown, not 1970.
  expect(valuesOf(event, answer as Registration)['created_at']).toBeUndefined()
  expect(readRegistration({ reg_no: 'PULMO1', payment_date: at })).toMatchObject({
    payment_status: 'success',
    stands: 'complete',
    created_at: at,
  })
  expect(readRegistration({ reg_no: 'PULMO1', payment_status: 'done' })).toBeNull()
})

test.each([
  [0, 'If you are due a refund, the organisers have emailed you about it.'],
  [4000, '₹ 4,000 of your payment has been refunded.'],
])('cancelled, with %d rupees back: says whether any of it went back', (back, sentence) => {
  const known = { payment_status: 'success', stands: 'cancelled', refunded_amount: back }
  const page = renderToStaticMarkup(<Cancelled event={event} registration={registration(known)} />)
  expect(page.replaceAll('\u00a0', ' ')).toContain(`${sentence} If you have questions`)
})
