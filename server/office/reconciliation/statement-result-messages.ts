/** Describes the results of confirming or keeping lines of a bank statement. */
import type { BulkAnswer } from '../../../engine/api.ts'
import type { KeptUnmatched } from '../../storage/index.ts'

const areOf = (count: number): string => `${count} ${count === 1 ? 'is' : 'are'}`

/** For confirmed lines; `differing`: those that now need review by the treasurer. */
export function confirmedText(
  { done, refused }: Pick<BulkAnswer, 'done' | 'refused'>,
  differing: number,
): string {
  const parts = [
    `${areOf(done.length - differing)} confirmed`,
    ...(differing === 0
      ? []
      : [
          `${areOf(differing)} before the treasurer because ${differing === 1 ? 'it does' : 'they do'} not fit what was due`,
        ]),
    ...(refused.length === 0 ? [] : [`${areOf(refused.length)} not, for the reasons below`]),
  ]
  return `${parts.join('; ')}.`
}

/** For kept lines; `sent`: how many were sent. */
export function keptText(sent: number, { added, elsewhere, reported }: KeptUnmatched): string {
  const recorded = sent - added - elsewhere - reported
  return [
    `${added} ${added === 1 ? 'payment' : 'payments'} that nobody waits for ${added === 1 ? 'is' : 'are'} kept for review.`,
    ...(recorded === 0 ? [] : [`${areOf(recorded)} already recorded.`]),
    ...(reported === 0
      ? []
      : [
          `${reported} ${reported === 1 ? 'was' : 'were'} reported by a delegate: confirm it for that registration.`,
        ]),
    ...(elsewhere === 0
      ? []
      : [`${elsewhere} ${elsewhere === 1 ? 'belongs' : 'belong'} to another event.`]),
  ].join(' ')
}
