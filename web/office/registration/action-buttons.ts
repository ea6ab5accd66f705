/** The acts that have a button on a registration's page, and what a click sends. */
import type { ActName } from '../../../engine/index.ts'

/** What is asked of the server: the act, its reason, and whatever else it takes. */
export type ActWords = { readonly act: ActName; readonly why: string } & Readonly<
  Record<string, unknown>
>
/** Acts that have a button of their own here; the others have a place elsewhere on the page. */
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
