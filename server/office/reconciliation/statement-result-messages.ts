/** Describes the results of confirming lines of a bank statement or sending them to review. */
import type { BulkActionResponse } from '../../../engine/api.ts'
import type { UnmatchedResult } from '../../storage/index.ts'

/** Describes confirmed lines. `reviewCount` is the number of lines whose payment needs review. */
export function formatConfirmed(
  { done, refused }: Pick<BulkActionResponse, 'done' | 'refused'>,
  reviewCount: number,
): string {
  const parts = [
    `${done.length - reviewCount} confirmed`,
    ...(reviewCount === 0 ? [] : [`${reviewCount} sent for review`]),
    ...(refused.length === 0 ? [] : [`${refused.length} not confirmed, for the reasons below`]),
  ]
  return `${parts.join('; ')}.`
}

/** Describes lines sent to review. `sentCount` is the number of lines in the request. */
export function formatSaved(
  sentCount: number,
  { added, elsewhere, reported }: UnmatchedResult,
): string {
  const recordedCount = sentCount - added - elsewhere - reported
  return [
    `${added} unmatched ${added === 1 ? 'payment' : 'payments'} sent for review.`,
    ...(recordedCount === 0 ? [] : [`${recordedCount} already recorded.`]),
    ...(reported === 0
      ? []
      : [
          reported === 1
            ? '1 was reported by a delegate. Confirm it for that registration.'
            : `${reported} were reported by delegates. Confirm them for those registrations.`,
        ]),
    ...(elsewhere === 0
      ? []
      : [`${elsewhere} ${elsewhere === 1 ? 'belongs' : 'belong'} to another event.`]),
  ].join(' ')
}
