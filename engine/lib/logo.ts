/** The Rollcall logo, shared by pages with and without scripts and by link preview images. */

/** Paths in a 26 × 26 square: the outline of a square, and a tick that extends beyond it. */
export const LOGO_PATHS = {
  square: 'M21.5 14.5V21a2.5 2.5 0 0 1-2.5 2.5H5A2.5 2.5 0 0 1 2.5 21V7A2.5 2.5 0 0 1 5 4.5h10',
  tick: 'm8 12.5 4.5 4.8L24 3.5',
} as const
