/** The header and footer of the site’s own pages. */
import { LANDING_MESSAGES } from '../../engine/messages.ts'
import type { Site, Social } from '../../engine/index.ts'
import { Logo } from '../ui/icons-and-logo.tsx'
import { SkipLink } from '../ui/layout/skip-link.tsx'

type SiteLocation = { readonly site: Site; readonly currentPath: '/' | '/organisers' }

/** Shows the bar at the top of the site's own pages. On other pages, its anchor links lead to the landing page. */
export function SiteHeader({ site, currentPath }: SiteLocation) {
  const { links, signIn, createEvent } = site.header
  return (
    <header className="hd">
      <SkipLink />
      <div className="wrap">
        <a className="mark" href="/">
          <Logo />
          {site.page.name}
        </a>
        <nav aria-label={LANDING_MESSAGES.navigation}>
          {links.map((link) => (
            <a key={link.go} href={buildAnchorUrl(currentPath, link.go)}>
              {link.label}
            </a>
          ))}
        </nav>
        <div className="r">
          <a className="btn quiet sm" href={signIn.go}>
            {signIn.label}
          </a>
          <a className="btn sm" href={createEvent.go}>
            {createEvent.label}
          </a>
        </div>
      </div>
    </header>
  )
}

/** Returns the anchor itself on the landing page, and a link to it on any other page. */
const buildAnchorUrl = (currentPath: SiteLocation['currentPath'], target: string): string =>
  target.startsWith('#') && currentPath !== '/' ? `/${target}` : target

const SOCIAL_ICONS: Readonly<Record<Social, { readonly name: string; readonly path: string }>> = {
  facebook: {
    name: 'Facebook',
    path: 'M11 18v-7h2.6l.5-3H11V6.2c0-1 .4-1.6 1.7-1.6H14V2.2C13.6 2.1 12.8 2 12 2 9.6 2 8 3.4 8 5.9V8H5.5v3H8v7',
  },
  x: { name: 'X', path: 'M3 3l14 14M17 3 3 17' },
  linkedin: {
    name: 'LinkedIn',
    path: 'M4 8v9M4 3.5v.1M8.5 17V8M8.5 12c0-2.5 1.5-4 4-4s3.5 1.7 3.5 4v5',
  },
  instagram: {
    name: 'Instagram',
    path: 'M6 2.5h8A3.5 3.5 0 0 1 17.5 6v8a3.5 3.5 0 0 1-3.5 3.5H6A3.5 3.5 0 0 1 2.5 14V6A3.5 3.5 0 0 1 6 2.5ZM6.5 10a3.5 3.5 0 1 0 7 0 3.5 3.5 0 0 0-7 0M14.5 5.5v.1',
  },
  youtube: {
    name: 'YouTube',
    path: 'M4.5 4.5h11a2.5 2.5 0 0 1 2.5 2.5v6a2.5 2.5 0 0 1-2.5 2.5h-11A2.5 2.5 0 0 1 2 13V7a2.5 2.5 0 0 1 2.5-2.5ZM8.5 7.5v5l4-2.5z',
  },
}

/**
 * Groups of links. A link that has no target yet is rendered as text with a note for screen
 * readers, not as a broken link.
 */
export function SiteFooter({ site, currentPath }: SiteLocation) {
  const { groups, social, placeholder } = site.footer
  return (
    <footer className="ft">
      <div className="wrap">
        <div className="g">
          {groups.map((group) => (
            <div key={group.title}>
              <h2>{group.title}</h2>
              <ul>
                {group.links.map(({ label, go: target }) => (
                  <li key={label}>
                    {target === null ? (
                      <span className="soon">
                        {label}
                        <span className="vh"> ({placeholder})</span>
                      </span>
                    ) : (
                      <a href={buildAnchorUrl(currentPath, target)}>{label}</a>
                    )}
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </div>
        <div className="fin">
          <span>{site.page.name}</span>
          <span className="social">
            {social.map((name) => (
              <svg
                key={name}
                className="i soon"
                viewBox="0 0 20 20"
                role="img"
                aria-label={`${SOCIAL_ICONS[name].name} (${placeholder})`}
              >
                <path d={SOCIAL_ICONS[name].path} />
              </svg>
            ))}
          </span>
        </div>
      </div>
    </footer>
  )
}
