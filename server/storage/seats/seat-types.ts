/** Defines seats as callers of the store see them. */

/** The quota of a seat type, and the number of its seats that are held or kept. */
export type StoredSeats = { readonly place: string; readonly max: number; readonly taken: number }
/** A seat that others have taken; `name` is its label. */
export type UnavailableSeat = { readonly place: string; readonly name: string }
