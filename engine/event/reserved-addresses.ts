/**
 * The addresses that are Rollcall's own, which no event file may claim. A test holds them beside the
 * routes of the app, so that a route that is added is reserved with it.
 */

/** Pages of the site itself: what a button of an event may lead to. */
export const SITE_PAGES: readonly string[] = [
  '/',
  '/organisers',
  '/admin',
  '/admin/login',
  '/admin/dashboard',
]

/** Pages that a link of a mail, or the office itself, leads to; no button does. */
export const LINK_PAGES: readonly string[] = [
  '/my',
  '/my/{token}',
  '/pay/{token}',
  '/admin/account',
  '/admin/search',
  '/admin/money',
  '/admin/people',
  '/admin/activity',
  '/admin/mails',
  '/admin/event-files',
  '/admin/recovery',
  '/admin/password',
]

/** The office's calls answer at the root and under /api. */
const OFFICE_CALLS: readonly string[] = [
  '/admin/login',
  '/admin/logout',
  '/admin/session',
  '/admin/export',
  '/admin/dashboard/stats',
  '/admin/add',
  '/admin/codes',
  '/admin/codes/withdraw',
  '/admin/rolls',
  '/admin/sold',
  '/admin/find',
  '/admin/reviews',
  '/admin/reviews/{id}/decide',
  '/admin/reconcile',
  '/admin/reconcile/confirm',
  '/admin/reconcile/keep',
  '/admin/settlements',
  '/admin/settlements/export',
  '/admin/registrations/bulk',
  '/admin/registrations/{reg_no}',
  '/admin/registrations/{reg_no}/files/{field}',
  '/admin/registrations/{reg_no}/refund',
  '/admin/registrations/{reg_no}/acts',
  '/admin/registrations/{reg_no}/documents',
  '/admin/registrations/{reg_no}/documents/{id}',
  '/admin/me',
  '/admin/me/password',
  '/admin/me/second-factor',
  '/admin/me/second-factor/confirm',
  '/admin/me/second-factor/off',
  '/admin/me/recovery-codes',
  '/admin/me/sessions/end',
  '/admin/my-lists',
  '/admin/admins',
  '/admin/admins/second-factor',
  '/admin/admins/{username}/may',
  '/admin/admins/{username}/remove',
  '/admin/admins/{username}/link',
  '/admin/admins/{username}/reset-second-factor',
  '/admin/set-password',
  '/admin/mail',
  '/admin/mail/retry',
  '/admin/served-files',
  '/admin/served-files/reload',
  '/admin/clock/confirm',
  '/admin/recovery-state',
  '/admin/recovery-state/end',
  '/admin/log',
  '/admin/log/export',
]

/** Fixed calls without the slash at their end; `{name}` is any one segment, `*` whatever is below. */
export const RESERVED_CALLS: readonly string[] = [
  '/healthz',
  '/metrics',
  '/robots.txt',
  '/assets/*',
  '/api/events',
  '/api/events/{id}',
  '/api/events/{id}/file',
  '/api/events/{id}/code',
  '/api/events/{id}/roll',
  '/api/events/{id}/proofs',
  '/api/events/{id}/proofs/forget',
  '/api/events/{id}/{file}',
  '/api/payment/confirmation',
  '/api/payment/return',
  '/api/payment/resume',
  '/api/payment/retry',
  '/api/payment/webhook',
  '/api/my',
  '/api/my/{token}',
  '/api/my/{token}/documents/{id}',
  '/api/my/{token}/acts',
  '/api/my/{token}/proofs',
  ...OFFICE_CALLS,
  ...OFFICE_CALLS.map((path) => `/api${path}`),
]

/** Whether one request could be meant for both paths, as they are written here and in event files. */
export function pathsMeet(a: string, b: string): boolean {
  return partsMeet(partsOf(a), partsOf(b))
}

/** The segments of a path, without what a slash at its end would add. */
export function partsOf(path: string): readonly string[] {
  return path.split('/').filter((part) => part !== '')
}

/** A segment such as `{reg_no}`, which takes any text. */
export function isOpenPart(part: string): boolean {
  return part.startsWith('{')
}

/** `pathsMeet` for paths in segments: what is compared with many is taken apart once. */
export function partsMeet(some: readonly string[], others: readonly string[]): boolean {
  const [first, second] = [some[0], others[0]]
  if (first === '*' || second === '*') return first !== undefined && second !== undefined
  if (first === undefined || second === undefined) return first === second
  return (
    (first === second || isOpenPart(first) || isOpenPart(second)) &&
    partsMeet(some.slice(1), others.slice(1))
  )
}
