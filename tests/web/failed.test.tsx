/** What the page of a failed payment says of the money, by what is known of it. */
import { renderToStaticMarkup } from 'react-dom/server'
import { MemoryRouter } from 'react-router-dom'
import { expect, test } from 'vitest'
import { readEvent } from '../../engine/files.ts'
import { publicEvent } from '../../engine/index.ts'
import type { EventConfig, Failure } from '../../engine/index.ts'
import { readRegistration } from '../../web/answers.ts'
import { Failed } from '../../web/results/failed.tsx'
import type { Registration } from '../../web/results/registration.ts'
import { ours, read } from '../engine/ours.ts'

const file = read('events/afpicon2026.yaml')
const event = publicEvent(readEvent(file.text, ours, file) as EventConfig)
const at = '2026-01-12T09:00:00+05:30'
/** As a browser reads the call's answer. */
const registration = (failedAs: Failure): Registration | null =>
  readRegistration({
    reg_no: 'AFPI1',
    payment_status: 'failed',
    failed_as: failedAs,
    created_at: at,
  })
const said = (failedAs: Failure): string =>
  renderToStaticMarkup(
    <MemoryRouter>
      <Failed
        event={event}
        registration={registration(failedAs)}
        query={{ orderId: null, amount: null, date: null }}
        now={at}
      />
    </MemoryRouter>,
  )

const DEDUCTED = 'No amount has been deducted'
const CAUSE = 'Insufficient funds'
test.each([
  ['declined', [DEDUCTED, CAUSE], ['refunded', 'make sure']],
  ['expired', ['make sure that no amount was deducted', CAUSE], [DEDUCTED, 'refunded']],
  ['unclear', ['We do not know what became', CAUSE], [DEDUCTED, 'refunded']],
  ['given-back', ['is refunded to you'], [DEDUCTED, CAUSE, 'We do not know']],
] as const)('%s: says what is known, and no cause that was none', (failedAs, says, never) => {
  const page = said(failedAs)
  for (const part of says) expect(page).toContain(part)
  for (const part of never) expect(page).not.toContain(part)
})
