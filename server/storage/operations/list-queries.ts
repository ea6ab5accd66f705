/** Lists every list and figure by name: run by the reader thread, requested by `open-store.ts`. */
import { activity, actors } from '../staff/audit-log-entries.ts'
import { awaited, knownReferences } from '../reconciliation/match-candidates.ts'
import { codesOf } from '../registrations/discount-codes.ts'
import { mailCounts, mails } from '../mail/email-list.ts'
import { operating } from '../reports/metrics-counts.ts'
import { rollCounts } from '../registrations/member-lists.ts'
import { figures, inUse } from '../reports/dashboard-figures.ts'
import { exportChunk, inReview, listPage } from '../lists/list-and-search-registrations.ts'
import { findIn } from '../lists/search-registrations.ts'
import { soldIn } from '../reports/sales-totals.ts'
import { toErase, withEmail } from '../registrations/delete-personal-data.ts'
import { unpaidWithFiles } from '../files/drop-files-of-unpaid.ts'
import { waiting } from '../lists/work-queue.ts'
import { filesReferred, recoveryFigures } from '../recovery/recovery-figures.ts'
import { reviewCounts, reviews } from '../reviews/open-reviews.ts'
import {
  accountsOfEvent,
  heldMoney,
  heldOrders,
  settlementLines,
} from '../reconciliation/read-settlements.ts'

export const listings = {
  operating,
  mails,
  mailCounts,
  findIn,
  listPage,
  soldIn,
  exportChunk,
  inReview,
  reviews,
  reviewCounts,
  figures,
  waiting,
  inUse,
  unpaidWithFiles,
  toErase,
  withEmail,
  codesOf,
  rollCounts,
  awaited,
  knownReferences,
  settlementLines,
  accountsOfEvent,
  heldMoney,
  heldOrders,
  activity,
  actors,
  recoveryFigures,
  filesReferred,
}
