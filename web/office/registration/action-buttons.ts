/** The actions that have a button on a registration's page, with their labels. */
import type { ActionName } from '../../../engine/index.ts'

/** Request of an action: its name, its reason, and its additional parameters. */
export type ActWords = { readonly act: ActionName; readonly why: string } & Readonly<
  Record<string, unknown>
>
/** Actions with their own button; the others are elsewhere on the page. */
export const BUTTONS = {
  approve: 'Approve',
  refuse: 'Refuse',
  confirm: 'Confirm a payment',
  came_again: 'More money came',
  not_found: 'Payment not found',
  take_up: 'Take up again',
  note: 'Write a note',
  correct: 'Correct an answer',
  refund: 'Refund',
  handle_refund: 'Mark refund as handled',
  cancel: 'Cancel registration',
  transfer: 'Transfer',
  erase: 'Erase the person',
  send_pay_link: 'Send a link to pay',
  resend: 'Resend confirmation',
} as const
export type Button = keyof typeof BUTTONS
