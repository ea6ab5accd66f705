/** Acts as the store takes them and gives them: what is wanted, what came of it, and the trail. */
import type {
  ActName,
  ActRefusal,
  Actor,
  Instant,
  RegistrationState,
  RegNo,
  Result,
} from '../../engine/index.ts'

/** An act as it is wanted; `once` null: nobody sends it twice. */
export type NewAct = {
  readonly regNo: RegNo
  readonly act: ActName
  readonly actor: Actor
  readonly who: string
  readonly why: string
  readonly at: Instant
  readonly once: Once | null
}
export type Once = { readonly key: string; readonly fingerprint: string }

/** What came of an act. */
export type Acted = {
  readonly regNo: RegNo
  readonly state: RegistrationState
  /** For whoever did it, in a sentence. */
  readonly message: string
  /** A refund that the gateway has to be asked for; null: none. */
  readonly refundId: number | null
  /** It had been done before. */
  readonly repeated: boolean
}
export type ActAnswer = Result<Acted, ActRefusal>

/** A line of a registration's trail. */
export type StoredAct = {
  readonly id: number
  readonly at: Instant
  readonly who: string
  readonly act: ActName
  readonly why: string
  readonly data: Readonly<Record<string, unknown>>
  readonly was: RegistrationState
  readonly became: RegistrationState
}

export interface Acting {
  /** A sentence on the registration. */
  note(wanted: NewAct): Promise<ActAnswer>
  /** What was done to a registration, oldest first. */
  acts(regNo: RegNo): Promise<readonly StoredAct[]>
}
