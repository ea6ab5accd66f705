/**
 * The icons and the logo, as one inline sprite per page.
 * main.tsx renders it once. Ids have a prefix, so that they cannot collide with an event's fields.
 */
import { LOGO_PATHS } from '../../engine/index.ts'

const paths = {
  tick: 'M3.5 11 8 15.5 17 4.5',
  cal: 'M4.5 4h11a2 2 0 0 1 2 2v9.5a2 2 0 0 1-2 2h-11a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2ZM2.5 8.5h15M6.5 2v3.5M13.5 2v3.5',
  pin: 'M10 18s6-5.3 6-9.8A6 6 0 0 0 4 8.2C4 12.7 10 18 10 18ZM7.8 8.2a2.2 2.2 0 1 0 4.4 0 2.2 2.2 0 0 0-4.4 0',
  bang: 'M2.3 10a7.7 7.7 0 1 0 15.4 0 7.7 7.7 0 0 0-15.4 0M10 6v4.7M10 13.7v.1',
  info: 'M2.3 10a7.7 7.7 0 1 0 15.4 0 7.7 7.7 0 0 0-15.4 0M10 14V9.3M10 6.3v-.1',
  tri: 'M10 2.8 18.2 17H1.8L10 2.8ZM10 8.2v4M10 14.4v.1',
  clock: 'M2.3 10a7.7 7.7 0 1 0 15.4 0 7.7 7.7 0 0 0-15.4 0M10 5.5V10l3 2',
  cross: 'm5 5 10 10M15 5 5 15',
  back: 'M7 4 3 8l4 4M3 8h8.5a4.5 4.5 0 0 1 0 9H9',
  lock: 'M5.3 9h9.4a1.8 1.8 0 0 1 1.8 1.8v4.9a1.8 1.8 0 0 1-1.8 1.8H5.3a1.8 1.8 0 0 1-1.8-1.8v-4.9A1.8 1.8 0 0 1 5.3 9ZM6.5 9V6.2a3.5 3.5 0 0 1 7 0V9',
  up: 'M10 13.5V3.5M6 7l4-4 4 4M3 13v2.5A1.5 1.5 0 0 0 4.5 17h11a1.5 1.5 0 0 0 1.5-1.5V13',
  down: 'M10 3v10M6 9.5l4 4 4-4M3 13v2.5A1.5 1.5 0 0 0 4.5 17h11a1.5 1.5 0 0 0 1.5-1.5V13',
  file: 'M5 2.5h6.5L15.5 6.5V16A1.5 1.5 0 0 1 14 17.5H6A1.5 1.5 0 0 1 4.5 16V3ZM11 2.5V7h4.5',
  chev: 'm5 7.5 5 5 5-5',
  right: 'M4 10h12M11 5l5 5-5 5',
  left: 'M16 10H4M9 5l-5 5 5 5',
  print:
    'M5.5 7V2.5h9V7M5.5 14.5H3.7A1.2 1.2 0 0 1 2.5 13.3V8.5A1.5 1.5 0 0 1 4 7h12a1.5 1.5 0 0 1 1.5 1.5v4.8a1.2 1.2 0 0 1-1.2 1.2h-1.8M5.5 11.5h9v6h-9z',
  mail: 'M4 4h12a1.5 1.5 0 0 1 1.5 1.5v9A1.5 1.5 0 0 1 16 16H4a1.5 1.5 0 0 1-1.5-1.5v-9A1.5 1.5 0 0 1 4 4ZM3 5.5l7 5.5 7-5.5',
  search: 'M3.5 9a5.5 5.5 0 1 0 11 0 5.5 5.5 0 0 0-11 0M13.2 13.2l4 4',
  again: 'M16.5 10A6.5 6.5 0 1 1 14.3 5.2M16.7 2.5v3.7H13',
  grid: 'M3 3h6v6H3zM11 3h6v6h-6zM3 11h6v6H3zM11 11h6v6h-6z',
  rows: 'M3 5h14M3 10h14M3 15h14',
  flag: 'M4.5 18V3M4.5 3.5h10l-2 3.5 2 3.5h-10',
  out: 'M8 17H4.5A1.5 1.5 0 0 1 3 15.5v-11A1.5 1.5 0 0 1 4.5 3H8M8 10h9M13.5 6.5 17 10l-3.5 3.5',
  copy: 'M8.5 7h7A1.5 1.5 0 0 1 17 8.5v7a1.5 1.5 0 0 1-1.5 1.5h-7A1.5 1.5 0 0 1 7 15.5v-7A1.5 1.5 0 0 1 8.5 7ZM13 7V4.5A1.5 1.5 0 0 0 11.5 3h-7A1.5 1.5 0 0 0 3 4.5v7A1.5 1.5 0 0 0 4.5 13H7',
  pencil: 'M13.5 3.5 16.5 6.5 7 16H4v-3L13.5 3.5ZM11.5 5.5l3 3',
  star: 'm10 2 2.4 5.2 5.6.7-4.1 3.9 1.1 5.6L10 14.6l-5 2.8 1.1-5.6L2 7.9l5.6-.7z',
  plus: 'M10 4v12M4 10h12',
  bank: 'M2.5 8 10 3.5 17.5 8ZM4.5 8v7M8.2 8v7M11.8 8v7M15.5 8v7M2.5 16.5h15',
  tag: 'M3 3.5h6.2l7.8 7.8-5.7 5.7L3.5 9.2ZM6.6 7v.1',
  user: 'M6.8 6.5a3.2 3.2 0 1 0 6.4 0 3.2 3.2 0 0 0-6.4 0M3.5 17c.6-3.2 3.2-5 6.5-5s5.9 1.8 6.5 5',
  home: 'M3 9.5 10 3l7 6.5M5 8v9h10V8M8.3 17v-5h3.4v5',
} as const

export type IconName = keyof typeof paths

/** Renders the icons in `only`. By default, renders all icons. */
export function Sprite({ only }: { readonly only?: ReadonlySet<string> }) {
  return (
    <svg width="0" height="0" className="sprite" aria-hidden="true">
      <defs>
        {Object.entries(paths).map(
          ([name, d]) =>
            (only?.has(name) ?? true) && (
              <symbol key={name} id={`i-${name}`} viewBox="0 0 20 20">
                <path d={d} />
              </symbol>
            ),
        )}
      </defs>
    </svg>
  )
}

/**
 * Shows a 20 px icon (16 px if small). Next to text, it is hidden from screen readers; pass `label` if there is no
 * text.
 */
export function Icon({
  name,
  small,
  label,
}: {
  readonly name: IconName
  readonly small?: boolean
  readonly label?: string
}) {
  return (
    <svg
      className={small ? 'i s' : 'i'}
      {...(label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label })}
    >
      <use href={`#i-${name}`} />
    </svg>
  )
}

/** Shows the logo: a ruled square and a tick that extends beyond it. */
export function Logo() {
  return (
    <svg viewBox="0 0 26 26" aria-hidden="true">
      <path
        d={LOGO_PATHS.square}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.8"
        strokeLinecap="round"
      />
      <path
        d={LOGO_PATHS.tick}
        fill="none"
        stroke="var(--blue)"
        strokeWidth="3"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  )
}
