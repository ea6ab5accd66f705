/** Every list and figure, by name: what the reader thread runs and what `open.ts` may ask of it. */
import { activity, actors } from './activity.ts'
import { awaited, knownReferences } from './awaited.ts'
import { codesOf } from './codes.ts'
import { mailCounts, mails } from './mail-list.ts'
import { operating } from './operating.ts'
import { rollCounts } from './rolls.ts'
import { figures, inUse } from './figures.ts'
import { exportChunk, findIn, inReview, listPage } from './lists.ts'
import { soldIn } from './sold.ts'
import { toErase, withEmail } from './erasing.ts'
import { unpaidWithFiles } from './proofs.ts'
import { waiting } from './waiting.ts'
import { filesReferred, recoveryFigures } from './recovering.ts'
import { reviewCounts, reviews } from './reviews.ts'
import { heldMoney, heldOrders, settlementLines } from './settlements.ts'

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
  heldMoney,
  heldOrders,
  activity,
  actors,
  recoveryFigures,
  filesReferred,
}
