/** Texts about the price of a registration that needs approval: on the form, and while it waits. */
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { normalise, quote, toPublicEvent } from '../../../engine/index.ts'
import { listApprovalNotes } from '../../../web/registration/approval-notes.ts'
import { PriceUntil } from '../../../web/registration/price/fee-table.tsx'
import { WaitingForApproval } from '../../../web/results/approval-pages.tsx'
import { readRegistration } from '../../../web/results/registration-responses.ts'
import { checkEventFile } from '../../../web/organisers/editor/check-event-file.ts'
import { shared } from '../../engine/authoring/goldens.ts'
import { toNoon } from '../../server/office/office.ts'
import { APPROVAL_RULE, addMemberLetter, buildFixtureEvent } from '../../server/small-event.ts'

/** An event whose members need approval, and pay by card, or by transfer at the price on the credit date. */
const text = addMemberLetter(buildFixtureEvent({ extra: APPROVAL_RULE })).replace(
  'payment: {gateway: airpay, account: sample}',
  `payment:
  methods:
    - {id: card, gateway: airpay, account: sample}
    - id: transfer
      label: Bank transfer
      instructions: Sample Society, account 50200012345678, IFSC SMPL0000032
      price_date: credit
      fields: [{id: utr, label: UTR number, format: utr, unique: true, required: true}]`,
)
const now = '2026-01-05T12:00:00+05:30'
const PRICE_KEPT = 'Register by 31 Jan 2026 for this price'
const PRICE_CHANGES = 'Price valid until 31 Jan 2026; then ₹ 2,360 from 1 Feb 2026'
const PRICE_CHANGES_WITHOUT_APPROVAL = 'Price valid until 31 Jan 2026; then ₹ 4,720'

test.each([
  ['card', true, [PRICE_KEPT, 'a link to pay at today’s price.']],
  ['transfer', true, [PRICE_CHANGES, 'a link to pay.']],
  ['card', false, [PRICE_CHANGES_WITHOUT_APPROVAL]],
])(
  'the price note does not contradict the note about the approval (%s, member: %s)',
  (way, isMember, expected) => {
    const { event: config } = checkEventFile({
      number: 1,
      path: 'sample2026.yaml',
      text,
      shared,
      otherRoutes: [],
      published: null,
    })
    if (config === null) throw new Error('the file has errors')
    const event = toPublicEvent(config)
    const { answers } = normalise(event, { is_member: isMember, way })
    const result = quote(config, answers, toNoon('2026-01-05'))
    if (!result.ok) throw new Error(result.error.code)
    const note = renderToStaticMarkup(
      <PriceUntil {...{ event, answers, now }} quote={result.value} />,
    )
    const shown = `${note} ${listApprovalNotes(event, answers).join(' ')}`.replaceAll('\u00a0', ' ')
    for (const part of expected) expect(shown).toContain(part)
    expect(shown.includes('valid until')).toBe(!expected.includes(PRICE_KEPT))
    const registration = readRegistration({ reg_no: 'SMPL1', stands: 'to-approve' })
    if (registration === null) throw new Error('the browser cannot read this response')
    // On a later day, a page must not promise that day’s price.
    const page = renderToStaticMarkup(
      <WaitingForApproval {...{ event, registration }} reload={() => {}} />,
    )
    expect(page).not.toContain('today')
  },
)
