/** The actions that are allowed on a registration, by state and role. */
import { describe, expect, test } from 'vitest'
import {
  listAllowedActions,
  checkAction,
  toAmount,
  computeNextState,
  REGISTRATION_STATES,
  STATE_LABELS,
} from '../../../engine/index.ts'
import type { ActionName, Actor, RegistrationState } from '../../../engine/index.ts'

const getResult = (
  state: RegistrationState,
  action: ActionName,
  actor: Actor,
  reason = 'Asked by phone.',
) => {
  const checkResult = checkAction(state, { act: action, actor, why: reason })
  return checkResult.ok ? checkResult.value.nextState : checkResult.error.code
}

describe('permissions by role', () => {
  test.each<[Actor, readonly ActionName[]]>([
    ['viewer', []],
    ['desk', ['note', 'undo_note', 'came_again', 'resend']],
    [
      'treasurer',
      [
        'note',
        'undo_note',
        'came_again',
        'accept',
        'dismiss',
        'refund',
        'handle_refund',
        'resend',
        'not_found',
      ],
    ],
    [
      'owner',
      [
        'note',
        'undo_note',
        'correct',
        'came_again',
        'accept',
        'dismiss',
        'refund',
        'handle_refund',
        'cancel',
        'transfer',
        'resend',
        'not_found',
        'erase',
      ],
    ],
    ['delegate', ['edit', 'ask_cancel', 'ask_refund', 'withdraw_refund']],
    ['clock', []],
  ])('lists the actions of the role %s on a complete registration', (actor, expectedActions) => {
    expect(listAllowedActions('complete', actor)).toEqual(expectedActions)
  })

  test('a viewer cannot perform any action in any state', () => {
    expect(REGISTRATION_STATES.flatMap((state) => listAllowedActions(state, 'viewer'))).toEqual([])
  })

  test('front desk users can confirm but not refund; the message states the required role', () => {
    expect(getResult('to_pay', 'confirm', 'desk')).toBe('to_pay')
    expect(checkAction('complete', { act: 'refund', actor: 'desk', why: 'x' })).toMatchObject({
      error: {
        code: 'not_your_role',
        message: 'You need the treasurer role to refund a payment. Your role is desk.',
      },
    })
  })

  test('staff cannot perform actions of the delegate, and delegates cannot perform actions of staff', () => {
    expect(getResult('to_pay', 'tell', 'owner')).toBe('not_your_role')
    expect(getResult('to_pay', 'lapse', 'owner')).toBe('not_your_role')
    expect(getResult('complete', 'cancel', 'delegate')).toBe('not_your_role')
    expect(getResult('to_pay', 'tell', 'delegate')).toBe('told')
  })
})

describe('the states of a registration', () => {
  test('every state in the work queue has an allowed action, and every state that is not final has a next action', () => {
    for (const state of REGISTRATION_STATES) {
      const ownerActions = listAllowedActions(state, 'owner')
      expect(ownerActions, state).toContain('note')
      if (!['cancelled', 'refused'].includes(state))
        expect(ownerActions, state).toEqual(expect.arrayContaining(['correct', 'cancel']))
    }
    expect(listAllowedActions('to_approve', 'owner')).toEqual(
      expect.arrayContaining(['approve', 'refuse']),
    )
    expect(listAllowedActions('told', 'treasurer')).toEqual(
      expect.arrayContaining(['confirm', 'not_found']),
    )
  })

  test.each<[RegistrationState, ActionName, Actor, string]>([
    ['to_approve', 'approve', 'owner', 'to_pay'],
    ['to_approve', 'refuse', 'owner', 'refused'],
    ['refused', 'accept_offer', 'delegate', 'to_pay'],
    ['told', 'not_found', 'treasurer', 'to_pay'],
    ['complete', 'cancel', 'owner', 'cancelled'],
    ['complete', 'transfer', 'owner', 'complete'],
    ['to_pay', 'lapse', 'clock', 'lapsed'],
    ['cancelled', 'cancel', 'owner', 'not_now'],
    ['to_pay', 'transfer', 'owner', 'not_now'],
    ['to_pay', 'resend', 'desk', 'not_now'],
    ['cancelled', 'correct', 'owner', 'not_now'],
    ['cancelled', 'accept', 'owner', 'not_now'],
    ['complete', 'approve', 'owner', 'not_now'],
  ])('in the state %s, the action %s by %s results in %s', (state, actionName, actor, expected) => {
    expect(getResult(state, actionName, actor)).toBe(expected)
  })

  test('an action that needs a reason rejects one that is empty or too long, and trims it', () => {
    expect(getResult('complete', 'cancel', 'owner', '  ')).toBe('no_grounds')
    // Zero-width spaces and direction marks are invisible.
    expect(getResult('complete', 'cancel', 'owner', ' \u200b\u202e ')).toBe('no_grounds')
    expect(getResult('complete', 'note', 'desk', 'x'.repeat(501))).toBe('no_grounds')
    expect(getResult('complete', 'resend', 'desk', '')).toBe('complete')
    expect(checkAction('complete', { act: 'note', actor: 'desk', why: ' Rang. ' })).toMatchObject({
      value: { why: 'Rang.' },
    })
  })

  test('the error for an action that is not allowed describes the registration’s state in words', () => {
    expect(checkAction('cancelled', { act: 'cancel', actor: 'owner', why: 'x' })).toMatchObject({
      error: {
        message: `You cannot cancel this registration now. The registration is ${STATE_LABELS.cancelled}.`,
      },
    })
    const transfer = { act: 'transfer', actor: 'owner', why: 'x' } as const
    for (const [paymentStatus, label] of [
      ['pending', 'unpaid'],
      ['success', 'partly paid'],
    ] as const)
      expect(checkAction('to_pay', transfer, paymentStatus)).toMatchObject({
        error: {
          message: `You cannot transfer this registration now. The registration is ${label}.`,
        },
      })
  })
})

test.each<
  [RegistrationState, Parameters<typeof computeNextState>[1]['status'], boolean, number, string]
>([
  ['to_pay', 'success', false, 0, 'complete'],
  ['told', 'success', false, 0, 'complete'],
  ['lapsed', 'success', false, 0, 'complete'],
  ['complete', 'success', false, 100, 'to_pay'],
  ['to_pay', 'success', false, -100, 'complete'],
  ['complete', 'refunded', false, 0, 'cancelled'],
  ['to_pay', 'failed', true, 0, 'lapsed'],
  ['to_pay', 'failed', false, 0, 'to_pay'],
  ['lapsed', 'pending', false, 0, 'to_pay'],
  ['told', 'pending', false, 0, 'told'],
  ['cancelled', 'success', false, 0, 'cancelled'],
  ['refused', 'pending', false, 0, 'refused'],
  ['to_approve', 'pending', false, 0, 'to_approve'],
])(
  'the state %s with the payment status %s (expired: %s, due: %s) becomes %s',
  (state, status, hasExpired, due, expectedState) => {
    expect(
      computeNextState(state, {
        status,
        hasExpired,
        due: toAmount(due),
        hasPaymentDeadline: false,
      }),
    ).toBe(expectedState)
  },
)
