// A button on each block of code that copies what is to be typed: no prompts, and nothing that was answered.
"use strict";

function typed(text) {
  const lines = text.replace(/\n$/, "").split("\n");
  const session = lines.some((line) => line.startsWith(">>> "));
  if (session) {
    return lines
      .filter((line) => /^(>>>|\.\.\.)( |$)/.test(line))
      .map((line) => line.slice(4))
      .join("\n");
  }
  if (!lines[0].startsWith("$ ")) {
    return lines.join("\n");
  }
  const commands = [];
  let continued = false;
  for (const line of lines) {
    if (continued || line.startsWith("$ ")) {
      commands.push(continued ? line : line.slice(2));
      continued = line.endsWith("\\");
    }
  }
  return commands.join("\n");
}

async function copy(button, block) {
  let said = "Copied";
  try {
    await navigator.clipboard.writeText(typed(block.textContent));
  } catch {
    getSelection().selectAllChildren(block);
    said = "Selected";
  }
  button.textContent = said;
  button.classList.add("done");
  setTimeout(() => {
    button.textContent = "Copy";
    button.classList.remove("done");
  }, 2000);
}

document.addEventListener("DOMContentLoaded", () => {
  for (const block of document.querySelectorAll(".highlight > pre")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.setAttribute("aria-live", "polite");
    button.addEventListener("click", () => copy(button, block));
    block.after(button);
  }
});
