/** The skip link for keyboard users: the first tab stop, visible while it has the focus. */
export function SkipLink() {
  return (
    <a className="skip" href="#main">
      Skip to the content
    </a>
  )
}
