/**
 * URL paths that Rollcall reserves. No event file may use them.
 *
 * A test compares them with the app's routes, so that new routes are also reserved.
 */

/** Pages of the site that an event's buttons may link to. */
export const SITE_PAGES: readonly string[] = [
  '/',
  '/organisers',
  '/admin',
  '/admin/login',
  '/admin/dashboard',
]

/** Pages that are opened from an email link or from the office. Buttons may not link to them. */
export const UNLINKABLE_PAGES: readonly string[] = [
  '/my',
  '/my/{token}',
  '/pay/{token}',
  '/admin/account',
  '/admin/search',
  '/admin/payments',
  '/admin/payments/*',
  '/admin/events',
  '/admin/events/*',
  '/admin/team',
  '/admin/audit-log',
  '/admin/system',
  '/admin/system/*',
  // URLs of earlier versions, which redirect.
  '/admin/money',
  '/admin/people',
  '/admin/activity',
  '/admin/mails',
  '/admin/event-files',
  '/admin/recovery',
  '/admin/codes-of/*',
  '/admin/password',
]

/** The office endpoints, which are served at the root and under /api. */
const OFFICE_ENDPOINTS: readonly string[] = [
  '/admin/login',
  '/admin/logout',
  '/admin/session',
  '/admin/export',
  '/admin/dashboard/stats',
  '/admin/add',
  '/admin/add/similar',
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
  '/admin/statements',
  '/admin/statements/{statement}',
  '/admin/statements/{statement}/assign',
  '/admin/statements/{statement}/decide',
  '/admin/statements/{statement}/remove',
  '/admin/payouts',
  '/admin/settlements',
  '/admin/settlements/export',
  '/admin/settlements/handle',
  '/admin/movements',
  '/admin/movements/export',
  '/admin/debtors',
  '/admin/debtors/export',
  '/admin/open-refunds',
  '/admin/months',
  '/admin/months/close',
  '/admin/months/export',
  '/admin/exchange-rates',
  '/admin/registrations/bulk',
  '/admin/registrations/{reg_no}',
  '/admin/registrations/{reg_no}/files/{field}',
  '/admin/registrations/{reg_no}/evidence',
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
  '/admin/served-files/rehearse',
  '/admin/event-versions',
  '/admin/event-versions/difference',
  '/admin/event-versions/text',
  '/admin/clock/confirm',
  '/admin/recovery-state',
  '/admin/recovery-state/end',
  '/admin/log',
  '/admin/log/export',
]

/** Fixed endpoints without a trailing slash. `{name}` matches one segment, `*` all paths below. */
export const RESERVED_ENDPOINTS: readonly string[] = [
  '/healthz',
  '/metrics',
  '/robots.txt',
  '/assets/*',
  '/api/events',
  '/api/events/{id}',
  '/api/events/{id}/file',
  '/api/events/{id}/browser',
  '/api/events/{id}/registrations/{number}/acts',
  '/api/events/{id}/code',
  '/api/events/{id}/roll',
  '/api/events/{id}/proofs',
  '/api/events/{id}/proofs/forget',
  '/api/events/{id}/availability',
  '/api/events/{id}/{file}',
  '/api/payment/confirmation',
  '/api/payment/return',
  '/api/payment/resume',
  '/api/payment/retry',
  '/api/payment/return-of/{orderId}',
  '/api/payment/webhook/{gateway}',
  '/api/payment/webhook',
  '/api/my',
  '/api/my/{token}',
  '/api/my/{token}/documents/{id}',
  '/api/my/{token}/acts',
  '/api/my/{token}/proofs',
  ...OFFICE_ENDPOINTS,
  ...OFFICE_ENDPOINTS.map((path) => `/api${path}`),
]

/** Returns true if one request could match both paths. Paths use the syntax of this list and of event files. */
export function doPathsOverlap(a: string, b: string): boolean {
  return doSegmentsOverlap(listPathSegments(a), listPathSegments(b))
}

/** Splits a path into segments, ignoring a trailing slash. */
export function listPathSegments(path: string): readonly string[] {
  return path.split('/').filter((part) => part !== '')
}

/** Returns true for a segment such as `{reg_no}`, which matches anything. */
export function isPathParameter(part: string): boolean {
  return part.startsWith('{')
}

/**
 * Like `doPathsOverlap`, for paths that are already split into segments, to compare one path with
 * many.
 */
export function doSegmentsOverlap(
  leftSegments: readonly string[],
  rightSegments: readonly string[],
): boolean {
  const [first, second] = [leftSegments[0], rightSegments[0]]
  if (first === '*' || second === '*') return first !== undefined && second !== undefined
  if (first === undefined || second === undefined) return first === second
  return (
    (first === second || isPathParameter(first) || isPathParameter(second)) &&
    doSegmentsOverlap(leftSegments.slice(1), rightSegments.slice(1))
  )
}
