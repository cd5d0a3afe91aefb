(() => {
  const box = document.getElementById("q");
  if (!box?.dataset.suggest) return;
  const list = document.createElement("ul");
  let at = -1, asked = 0, timer, typed;
  const set = (e, values) => { for (const name in values) e.setAttribute(name, values[name]); };
  const open = yes => {
    asked++;
    at = -1;
    list.hidden = !yes;
    set(box, {"aria-expanded": yes, "aria-activedescendant": ""});
  };
  const close = () => { clearTimeout(timer); open(false); };
  const go = li => {
    box.value = li.title;
    close();
    if (li.dataset.url) location = li.dataset.url;
    else box.form.requestSubmit();
  };
  const move = to => {
    const all = list.children, n = all.length;
    if (all[at]) set(all[at], {"aria-selected": false});
    at = to < -1 ? n - 1 : to < n ? to : -1;
    const li = all[at];
    box.value = li ? li.title : typed;
    set(box, {"aria-activedescendant": li ? li.id : ""});
    if (!li) return;
    set(li, {"aria-selected": true});
    li.scrollIntoView({block: "nearest"});
  };
  const show = ([, texts, about, urls]) => {
    list.replaceChildren(...texts.map((text, i) => {
      const li = document.createElement("li"), small = document.createElement("small");
      set(li, {role: "option", id: "suggested" + i, "aria-selected": false, dir: "auto", title: text});
      small.textContent = about[i];
      li.append(text, " ", small);
      if (about[i]) li.dataset.url = urls[i];
      li.onclick = () => go(li);
      return li;
    }));
    open(texts.length > 0);
  };
  const ask = async () => {
    const mine = ++asked;
    typed = box.value;
    try {
      const answer = await fetch(box.dataset.from + encodeURIComponent(typed));
      const found = await answer.json();
      if (mine == asked && document.activeElement == box) show(found);
    } catch {}
  };
  set(list, {id: "suggested", role: "listbox", "aria-label": box.dataset.suggest});
  set(box, {role: "combobox", autocomplete: "off", "aria-autocomplete": "list", "aria-controls": "suggested"});
  open(false);
  box.after(list);
  list.onmousedown = e => e.preventDefault();
  box.oninput = () => { clearTimeout(timer); timer = setTimeout(ask, 80); };
  box.onblur = close;
  box.onkeydown = e => {
    const key = e.key;
    if (e.isComposing || list.hidden) return;
    if (key == "ArrowDown") move(at + 1);
    else if (key == "ArrowUp") move(at - 1);
    else if (key == "Enter" && at >= 0) go(list.children[at]);
    else if (key == "Escape") { box.value = typed; close(); }
    else return;
    e.preventDefault();
  };
})();
