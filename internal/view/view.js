// Gives keys to the links, buttons and fields of a page, and fetches the picture that comes next.
'use strict';
(() => {
  const dialog = document.getElementById('keys');
  const typing = (e) => e && (e.tagName === 'INPUT' || e.tagName === 'SELECT' || e.tagName === 'TEXTAREA');
  const elements = new Map();
  for (const e of document.querySelectorAll('[data-keys]')) {
    for (const key of e.dataset.keys.split(' ')) if (!elements.has(key)) elements.set(key, e);
  }
  let gone = false; // a page that is being left takes no more keys
  addEventListener('pageshow', () => { gone = false; });
  document.getElementById('help').addEventListener('click', () => dialog.showModal());
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || gone) return;
    if (dialog.open) {
      if (event.key === '?') { event.preventDefault(); dialog.close(); }
      return;
    }
    if (typing(event.target)) {
      if (event.key === 'Escape') event.target.blur();
      return;
    }
    if (event.key === 'Enter' && event.target !== document.body) return;
    const e = elements.get(event.key);
    if (!e || event.repeat && e.tagName !== 'A') return;
    event.preventDefault();
    if (typing(e)) { e.focus(); e.select(); return; }
    if (e.id !== 'help') gone = true;
    e.click();
  });
  const shown = document.querySelector('img[data-next]');
  if (shown) {
    const ahead = () => { new Image().src = shown.dataset.next; };
    if (shown.complete) ahead(); else shown.addEventListener('load', ahead);
  }
})();
