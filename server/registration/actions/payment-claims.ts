/** Handles payment claims ("I have paid"): claim by the delegate, rejection, reopening. */
import {
  addDays,
  dayOf,
  endOfDay,
  err,
  isoIndia,
  expiryTime,
  ok,
  getOwn,
  paise,
  readPaymentClaim,
  rupees,
  transferMethod,
  methodFileName,
} from '../../../engine/index.ts'
import {
  buildClaimRejectedEmail,
  REFUSAL_MESSAGES,
  buildReopenedEmail,
  buildClaimReceivedEmail,
} from '../../../engine/messages.ts'
import type {
  EventConfig,
  FieldErrors,
  Instant,
  RawAnswers,
  Result,
  TransferMethod,
} from '../../../engine/index.ts'
import type { WirePaymentClaim } from '../../../engine/api.ts'
import type { Deps } from '../../dependencies.ts'
import { heldDraft } from '../uploads/draft-uploads.ts'
import type {
  StoredAction,
  StoredRegistration,
  StoredPaymentClaim,
  StoredUpload,
} from '../../storage/index.ts'
import { badData, textIn } from './action-input.ts'
import type { ActionRequest, ActionHandler, Words } from './action-input.ts'
import { owed } from './balance-due.ts'

/** Days to pay after reopening, for a registration whose payment method sets no period. */
const TAKEN_UP_DAYS = 7

/** `{way?, answers: {question: answer}}`. A file is named by the token of its upload sent ahead. */
export const tell: ActionHandler = async (asked) => {
  const { deps, served, registration, wanted, words } = asked
  const { config } = served
  const way = wayOfTelling(config, registration, words)
  if (way === null) return badData(REFUSAL_MESSAGES.selfService.noMethod)
  const files = await filesOf(asked, way)
  if (!files.ok) return noGood(files.error)
  const { raw, uploads, drafts } = files.value
  const told = readPaymentClaim(config, way, raw, dayOf(wanted.at))
  if (!told.ok) return noGood(told.error)
  const { answers, reference, paidOn } = told.value
  return deps.store.tell(
    wanted,
    { way: way.id, reference, paidOn, answers, uploads, drafts },
    buildClaimReceivedEmail(config, registration, reference),
  )
}

/** Returns the named payment method, else that of the registration, else the only one of the event. */
function wayOfTelling(
  config: EventConfig,
  registration: StoredRegistration,
  words: Words,
): TransferMethod | null {
  const named = textIn(words, 'way')
  if (named !== '') return transferMethod(config, named)
  const own = transferMethod(config, registration.payments[0]?.way ?? null)
  const [only, ...others] = config.methods.filter(({ is }) => is === 'transfer')
  return own ?? (others.length === 0 ? transferMethod(config, only?.id ?? null) : null)
}

function noGood(errors: FieldErrors) {
  const [message = REFUSAL_MESSAGES.selfService.checkFields] = Object.values(errors)
  return err({ code: 'bad_data' as const, message, errors })
}

type Files = {
  readonly raw: RawAnswers
  readonly uploads: readonly StoredUpload[]
  /** Hashes of the upload tokens, which are forgotten once used. */
  readonly drafts: readonly string[]
}

/** Returns the answers with each token replaced by the name of its file. */
async function filesOf(
  { deps, served: { config }, words, wanted }: ActionRequest,
  way: TransferMethod,
): Promise<Result<Files, FieldErrors>> {
  const given = getOwn(words, 'answers')
  const raw: Record<string, unknown> =
    typeof given === 'object' && given !== null && !Array.isArray(given) ? { ...given } : {}
  const uploads: StoredUpload[] = []
  const drafts: string[] = []
  for (const ask of way.fields) {
    if (ask.type !== 'file') continue
    const token = raw[ask.id]
    delete raw[ask.id]
    if (typeof token !== 'string' || token.trim() === '') continue
    const field = methodFileName(way, ask)
    const draft = await heldDraft(deps, config, field, token.trim(), wanted.at)
    if (draft === null)
      return err({ [ask.id]: 'We no longer have this file. Please choose it again.' })
    const { sha256, name, type, bytes } = draft.proof
    raw[ask.id] = name
    uploads.push({ field, sha256, name, type, bytes })
    drafts.push(draft.tokenHash)
  }
  return ok({ raw, uploads, drafts })
}

/** Rejects a claim. The delegate is told the reason and may claim again. */
export const notFound: ActionHandler = async ({ deps, served, registration, wanted }) => {
  const { config } = served
  const [telling] = await deps.store.tellings(registration.regNo)
  const way = transferMethod(config, telling?.way ?? null)
  const payUntil = way === null ? registration.payUntil : expiryTime(way, wanted.at)
  const mail =
    telling === undefined || registration.state !== 'told'
      ? null
      : buildClaimRejectedEmail(config, registration, telling.reference, wanted.why, payUntil)
  return deps.store.notFound(wanted, { payUntil, mail })
}

/** Reopens a registration at its original price. `{days?}` to pay; without it, the period of the payment method. */
export const takeUp: ActionHandler = async ({ deps, served, registration, wanted }) => {
  const { config } = served
  const way = transferMethod(config, registration.payments[0]?.way ?? null)
  const payUntil = way === null ? soon(wanted.at) : expiryTime(way, wanted.at)
  const mail = buildReopenedEmail(config, registration, registration.total ?? paise(0), payUntil)
  return deps.store.takeUp(wanted, { way: way?.id ?? null, payUntil, mail })
}

function soon(at: Instant): Instant {
  return endOfDay(addDays(dayOf(at), TAKEN_UP_DAYS))
}

/**
 * Returns the latest payment claim in readable form; null: there is none. `href` gives the address of a file;
 * left out where files are not shown.
 */
export async function lastTold(
  { store }: Pick<Deps, 'store'>,
  config: EventConfig,
  registration: StoredRegistration,
  href?: (field: string) => string,
): Promise<{ readonly told: WirePaymentClaim; readonly telling: StoredPaymentClaim } | null> {
  const { regNo, uploads } = registration
  const [telling] = await store.tellings(regNo)
  if (telling === undefined) return null
  const { at, way: id, reference, paidOn, answers, endedAs } = telling
  const way = transferMethod(config, id)
  const why = endedAs === 'not_found' ? whyOf(await store.acts(regNo)) : ''
  const asks = way?.fields ?? []
  return {
    telling,
    told: {
      at: isoIndia(at),
      label: way?.label ?? id,
      reference,
      amount: rupees(owed(registration)),
      paid_on: paidOn,
      answers: asks.flatMap((ask) => {
        const answer = getOwn(answers, ask.id)
        if (answer === undefined || ask.id === way?.reference || ask.id === way?.day) return []
        const field = way === null ? '' : methodFileName(way, ask)
        const isKept = uploads.some((one) => one.field === field && one.droppedAt === null)
        return [
          {
            label: ask.label,
            text: ask.options?.find((option) => option.id === answer)?.label ?? String(answer),
            ...(isKept && href !== undefined ? { href: href(field) } : {}),
          },
        ]
      }),
      stands: standsOf(registration, telling),
      why,
    },
  }
}

function standsOf(
  { state }: StoredRegistration,
  { endedAs, isRecorded }: StoredPaymentClaim,
): WirePaymentClaim['stands'] {
  if (isRecorded) return 'found'
  if (endedAs === 'not_found') return 'not_found'
  const isAwaited = state === 'to_pay' || state === 'told' || state === 'lapsed'
  return endedAs === null && isAwaited ? 'looking' : 'unconfirmed'
}

function whyOf(acts: readonly StoredAction[]): string {
  return acts.findLast(({ act }) => act === 'not_found')?.why ?? ''
}
