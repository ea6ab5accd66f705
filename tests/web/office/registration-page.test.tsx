/** A registration's page: its actions, the texts in their dialogs, and its timeline. */
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { listAllowedActions, REGISTRATION_STATES } from '../../../engine/index.ts'
import type {
  ActionsResponse,
  OfficeRegistrationResponse,
  WireReview,
} from '../../../engine/api.ts'
import {
  ACTION_LABELS,
  arrangeActions,
  canRefundInOneClick,
  DESTRUCTIVE_ACTIONS,
} from '../../../web/office/registration/action-buttons.ts'
import type { ButtonAction } from '../../../web/office/registration/action-buttons.ts'
import { ActionDialog } from '../../../web/office/registration/actions/action-and-refund-dialog.tsx'
import { MoneyFigures } from '../../../web/office/registration/actions/cancellation-refund-fields.tsx'
import { describeChange } from '../../../web/office/registration/actions/use-actions.ts'
import { MoneyPanels } from '../../../web/office/registration/money-panel.tsx'
import { buildEntries } from '../../../web/office/registration/timeline.tsx'
import { formatDateTime } from '../../../web/office/ui/format-date-time.ts'

const BUTTONS = Object.keys(ACTION_LABELS) as ButtonAction[]
const review = {
  id: 'C7',
  version: 'C7:1',
  kind: 'misfit',
  decisions: ['accept', 'refund', 'dismiss'],
  came: {
    amount: 1375,
    currency: 'INR',
    kind: 'sale',
    reference: 'R1',
    source: 'cash',
    paid_at: '',
  },
  due: 1475,
  left: 1375,
} as unknown as WireReview

function buildActions(
  state: ActionsResponse['state'],
  details: Partial<ActionsResponse> = {},
): ActionsResponse {
  return {
    status: 'success',
    reg_no: 'SMPL1',
    state,
    state_display: 'as it is',
    today: '2026-01-20' as ActionsResponse['today'],
    due: 0,
    to_pay: 1475,
    pay_back: 0,
    goodwill: 0,
    received: details.kept ?? 0,
    refunded: 0,
    refunding: 0,
    kept: 0,
    back_by_gateway: 0,
    refund_notes: [],
    refund_unsettled: false,
    full_refund_cancels: false,
    cancel_asked: null,
    second_payment: null,
    duplicates_version: '',
    proposed_back: null,
    cancellation: { paid: 0, owed: 0, remaining: 0, percent: null, share: null, refunded: 0 },
    cancellation_version: '',
    allowed: [...listAllowedActions(state, 'owner')],
    fields: [],
    persons: [],
    approval: null,
    told: null,
    reviews: [],
    trail: [],
    ...details,
  }
}

test.each([
  ['the gateway can refund all of it', {}, true],
  ['the user may not refund', { allowed: [] }, false],
  ['the registration has only one payment', { second_payment: null }, false],
  ['part of the amount was paid by transfer', { back_by_gateway: 1000 }, false],
  ['another payment is under review', { reviews: [review] }, false],
  ['the payment is disputed', { refund_notes: ['A dispute is open.'] }, false],
  ['the refund is in progress', { kept: 0, back_by_gateway: 0 }, false],
] as const)(
  'a second payment can be refunded with one button only if the gateway can refund all of it: %s',
  (_, details, isOffered) => {
    const second_payment = { first: 'SMPL0', first_amount: 1475, amount: 1475, asked_at: null }
    const paidData = buildActions('complete', { kept: 1475, back_by_gateway: 1475, second_payment })
    expect(canRefundInOneClick({ ...paidData, ...details } as ActionsResponse)).toBe(isOffered)
  },
)

describe.each(REGISTRATION_STATES)('in the state %s', (state) => {
  test('every allowed action has one button, at most two buttons are visible, and irreversible actions come last', () => {
    const data = buildActions(state, { kept: 1475 })
    const { main, more } = arrangeActions(data)
    const allowedButtons = BUTTONS.filter(
      (button) => data.allowed.includes(button) && button !== 'note',
    )
    expect([...main, ...more].toSorted()).toEqual(allowedButtons.toSorted())
    expect(main.length).toBeLessThanOrEqual(2)
    expect(main.some((button) => DESTRUCTIVE_ACTIONS.has(button))).toBe(false)
    const firstDestructive = more.findIndex((button) => DESTRUCTIVE_ACTIONS.has(button))
    if (firstDestructive !== -1)
      expect(more.slice(firstDestructive).every((button) => DESTRUCTIVE_ACTIONS.has(button))).toBe(
        true,
      )
  })

  test('a viewer has no buttons, and the desk role can neither correct nor refund', () => {
    const listButtons = (role: 'viewer' | 'desk') => {
      const { main, more } = arrangeActions(
        buildActions(state, { kept: 1475, allowed: [...listAllowedActions(state, role)] }),
      )
      return [...main, ...more]
    }
    expect(listButtons('viewer')).toEqual([])
    for (const button of ['correct', 'refund', 'cancel', 'erase', 'transfer'] as const)
      expect(listButtons('desk')).not.toContain(button)
  })

  test.each([
    ['received', { kept: 1475, to_pay: 0 }],
    ['under review', { reviews: [review] }],
    ['received and due for a refund', { kept: 1475, pay_back: 1475, to_pay: 0 }],
  ] as const)('no dialog states that nothing was paid while a payment is %s', (_, money) => {
    const data = buildActions(state, {
      ...money,
      reviews: [...('reviews' in money ? money.reviews : [])],
    })
    for (const button of BUTTONS.filter((name) => data.allowed.includes(name))) {
      const text = renderToStaticMarkup(
        <ActionDialog
          button={button}
          title={ACTION_LABELS[button]}
          actionData={data}
          userRole="owner"
          error={null}
          isBusy={false}
          onPerform={() => {}}
          onClose={() => {}}
        />,
      )
        .replaceAll(/<[^>]+>/g, ' ')
        .replaceAll(/\s+/g, ' ')
      expect(text, button).not.toMatch(
        /nothing (?:was|has been|is) (?:paid|received)|nobody (?:has )?paid|₹ 0 of what|was never paid/i,
      )
      if (['note', 'correct', 'transfer', 'resend', 'handle_refund'].includes(button)) continue
      const amountUnderReview = 'reviews' in money ? '₹ 1,375' : '₹ 0'
      expect(text, button).toContain(`Under review ${amountUnderReview}`)
      expect(text, button).toContain(`Received ${'kept' in money ? '₹ 1,475' : '₹ 0'}`)
    }
  })
})

const renderDialog = (button: ButtonAction, data: ActionsResponse): string =>
  renderToStaticMarkup(
    <ActionDialog
      button={button}
      title={ACTION_LABELS[button]}
      actionData={data}
      userRole="owner"
      error={null}
      isBusy={false}
      onPerform={() => {}}
      onClose={() => {}}
    />,
  )
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')

test.each([
  ['the prefilled amount is everything received', { full_refund_cancels: true }, true],
  ['only an overpayment is prefilled', { full_refund_cancels: true, pay_back: 100 }, false],
  ['the registration stays complete', { full_refund_cancels: false }, false],
] as const)(
  'the refund dialog states that a full refund cancels the registration: %s',
  (_, details, isStated) => {
    const text = renderDialog('refund', buildActions('complete', { kept: 1475, ...details }))
    expect(text.includes('refunds everything received and cancels the registration.')).toBe(
      isStated,
    )
  },
)

test('the refund dialog shows an open cancellation request with the refund that the delegate saw', () => {
  const cancel_asked = { at: '2026-01-18T10:00:00+05:30', back: 1106.25 }
  const text = renderDialog('refund', buildActions('complete', { kept: 1475, cancel_asked }))
  expect(text).toContain(
    'The delegate requested cancellation on 18 Jan 2026. Refund shown to the delegate that day: ₹ 1,106.25. To cancel with a refund, choose “Cancel registration”.',
  )
})

test('a registration that waits for approval shows its amount as due after approval, and no contradiction', () => {
  const data = buildActions('to_approve', { to_pay: 10_030 })
  expect(renderDialog('approve', data)).toContain('Due after approval ₹ 10,030')
  const details = {
    registration: { in_state: 'to_approve' },
    lines: [],
    payments: [],
  } as unknown as OfficeRegistrationResponse
  const panels = renderToStaticMarkup(<MoneyPanels details={details} />)
  expect(panels).toContain('Payment is due only once the registration is approved.')
  expect(panels).not.toContain('No payment is due')
})

const buildHistoryEntry = (who: string, text: string, at = '2026-01-20T10:00:00+05:30') => ({
  at,
  who,
  act: 'note',
  text,
  why: '',
})

test("changes that others make while the page is open are reported; the user's own changes are not", () => {
  const actionsBefore = buildActions('to_pay')
  const describeDetails = (details: Partial<ActionsResponse>) =>
    describeChange(actionsBefore, { ...actionsBefore, ...details }, 'asha')
  expect(describeDetails({})).toBeUndefined()
  expect(describeDetails({ trail: [buildHistoryEntry('asha', 'Note')] })).toBeNull()
  expect(
    describeDetails({
      trail: [buildHistoryEntry('binu', 'Corrected: City'), buildHistoryEntry('asha', 'Note')],
    }),
  ).toBe('binu: Corrected: City')
  expect(describeDetails({ kept: 1475, to_pay: 0, state: 'complete' })).toBe(
    'A payment or a refund has changed.',
  )
})

test('the timeline shows each action once, newest first, and distinguishes views from changes', () => {
  const buildTime = (minute: number): string => `2026-01-20T10:0${minute}:00+05:30`
  const entries = buildEntries(
    {
      payments: [
        {
          order_id: 'SMPL1',
          amount: 1475,
          status: 'success',
          review: null,
          reference: 'R1',
          created_at: buildTime(1),
          asked: 'Sent to the payment gateway.',
          facts: [{ at: buildTime(2), type: 'confirmed', text: 'The gateway confirmed ₹ 1,475.' }],
        },
      ],
      mails: [
        {
          id: 1,
          to: 'a@example.org',
          subject: 'Confirmed',
          status: 'sent',
          at: buildTime(3),
          error: null,
        },
      ],
      audit: [
        { at: buildTime(5), who: 'binu', what: 'opened the registration', is_access: true },
        { at: buildTime(4), who: 'asha', what: 'note: Wants lunch.', is_access: false },
        { at: buildTime(0), who: 'delegate', what: 'registered', is_access: false },
      ],
    },
    [{ at: buildTime(4), who: 'asha', act: 'note', text: 'Note', why: 'Wants lunch.' }],
  )
  expect(entries.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
    'access: Opened the registration',
    'note: Note',
    'email: Confirmed',
    'money: The gateway confirmed ₹ 1,475.',
    'money: Sent to the payment gateway.',
    'change: Registered',
  ])
})

test('a payment of which only the day is known shows no time', () => {
  expect(formatDateTime('2026-01-21T15:01:00+05:30')).toBe('21 Jan 2026, 3:01 pm')
  expect(formatDateTime('2026-01-21T00:00:00+05:30')).toBe('21 Jan 2026')
  expect(formatDateTime('2026-01-21T00:00:01+05:30')).toBe('21 Jan 2026, 12:00 am')
})

test('a treasurer sees the amount received before refunds, the refunds, and the amount that remains', () => {
  const renderFigures = (data: Partial<ActionsResponse>): string =>
    renderToStaticMarkup(<MoneyFigures {...buildActions('complete', { to_pay: 0, ...data })} />)
      .replaceAll(/<[^>]+>/g, ' ')
      .replaceAll(/[\s\u00a0]+/g, ' ')
      .trim()
  expect(renderFigures({ received: 1475 })).toBe('Due ₹ 0 Received ₹ 1,475 Under review ₹ 0')
  expect(renderFigures({ received: 1475, refunded: 475 })).toBe(
    'Due ₹ 0 Received ₹ 1,475 Refunded ₹ 475 Received less refunds ₹ 1,000 Under review ₹ 0',
  )
  expect(renderFigures({ received: 1475.1, refunded: 475, refunding: 100.1 })).toBe(
    'Due ₹ 0 Received ₹ 1,475.10 Refunded ₹ 475 Refund in progress ₹ 100.10 Received less refunds ₹ 900 Under review ₹ 0',
  )
})
